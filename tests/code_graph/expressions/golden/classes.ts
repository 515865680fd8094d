@Decorated({ a: 1 })
export abstract class Box<T extends Base = Item> extends NS.Mixed(Base)<T> implements Shape, Other<T> {
  @Input() private static readonly size?: string = make();
  #secret = () => this.#count;
  #count = 1;
  [key: string]: unknown;
  constructor(@Inject(T) private readonly held: T, public plain = new Plain(), rest?: number) {
    super(held);
  }
  @Once()
  async load(this: Box<T>, a: string, ...more: T[]): Promise<T> { return super.load(a); }
  get value(): T { return this.held; }
  set value(v) { this.held = v; }
  *[Symbol.iterator]() { yield this.held; yield* this.all(); }
  abstract todo<U>(u: U): U;
  "quoted name"() {}
  [computed()]() {}
  static { Box.register(this); }
}
interface Shape<S> extends Base, Other<S> {
  (call: S): void;
  new (made: string): Shape<S>;
  readonly p: S;
  m?<U>(a: U): Shape<U>;
  [index: number]: S;
}
enum Color { Red, Green = compute(), "quoted" }
namespace A.B { export class Inner {} }
const Anonymous = class Named extends Box<string> {};
const mixin = (base) => class extends base {};
declare function ambient(a: Box<Item>): asserts a is Box<string>;
