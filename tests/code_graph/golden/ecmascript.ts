#!/usr/bin/env node
import D, { a as b, type C } from "./m";
import * as NS from 'n';
import type { T1 } from "types";
import q = require("z");
import Short = NS.Inner;
import "side-effect";
export { a, b as c } from "./r";
export * from "./s";
export * as t from "./u";
const r = require("w"), { s, t: u } = require("v");
const lazy = await import("./lazy");

/** Doc of {@link Box}. */
@Comp({ a: 1 })
export abstract class Box<T> extends B.C<T> implements D, E.F<T> {
  /** A field. */
  @Input() private static readonly size?: string = 1;
  #secret = () => 1;
  declare declared: string;
  constructor(private readonly held: T, b = 2) { super(); this.#secret(); }

  @Dec({ b: 2 })
  async load(a: string, b?: number): Promise<void> {
    if (a) {
      function inner() { return NS.deep.call(a); }
      const local = () => inner();
    }
    return this.held;
  }
  get value(): number { return this.size; }
  set value(v) { this.size = v; }
  static create<U>(this: void, ...rest: U[]): Box<U> { return new Box<U>(); }
  protected abstract todo(): void;
  override *items() { yield 1; }
  [Symbol.iterator]() {}
  "quoted name"() {}
  [k: string]: any;
}

/**
 * Adds.
 *
 * @param x one
 * @deprecated use another
 */
export function add(x: number): number;
export function add(x: string): string;
export function add(x: any) { return x + LIMIT; }
export const twice = async (a: X): Y => add(a), gen = function* () {};
export const LIMIT = 10;
let counter: number = 0, { from, as: renamed } = load();
export default () => 1;
export const api = { m() {}, n: function () {}, o: (x) => x, plain: 1 };
export const frozen = { run() {} } as const;
@Sealed() export class OneLine { @Once() start() {} }
function outer() {
  const handlers = { onClick() {} };
  register({ onKey: () => 1 });
  counter += 1;
}
declare module "ambient" { export function q1(): void; }
declare global { interface Window { mine: Box<string>; } }
declare const VERSION: string;
declare function df(): void;
namespace N.M { export const inside = 1; export class K {} }
export enum Color { Red, Green = 2, "quoted" }
const enum Flags { None = 0 }
export interface Shape extends J, K1<L> {
  (a): b;
  new (x): y;
  readonly p: string;
  m?(a: Box<T>): void;
  get q(): number;
}
export type Union = { a: string; b(): void } | typeof counter | Shape[];
export { LIMIT, outer as renamedOuter };
export = api;
x?.y!.z<T>(1);
(cast as Fn)(1);
if (limit || !sure!(1) || !A.guess<T>(1)) {}
new P.Q<R>();
Box.prototype.late = function (a) { this.held = a; };
