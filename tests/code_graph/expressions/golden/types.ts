type Union = "a" | null | Item | { kind: "b"; run(x: Item): void; new (): Item; (): Item };
type Members<T> = { one: T; two?: Members<T>["one"]; [key: string]: T };
type Mapped<T> = { readonly [K in keyof T as Name<K>]?: T[K] };
type Chosen<T> = T extends (infer U extends Item)[] ? U : T extends string ? never : typeof value.deep;
type Functions = ((a: Item, ...b: Other[]) => Item) & (new () => Other);
type Pair = readonly [first: Item, second?: Other, ...rest: Item[]];
let value: NS.Deep<Union[], Array<Pair>>;
let looked: import("./m").Thing;
let applied: import("./m").Thing<typeof value>;
function isItem(x: unknown): x is Item { return true; }
const generic = <T,>(x: T, { a, b: [c = 1] }: Options = {}): T => x as unknown as T;
const checked = { a: 1 } satisfies Options;
const fixed = [value!, <Item>looked] as const;
const called = generic<Item>(value);
