import D, { a as b, type C, "quoted name" as q } from "./m";
import * as NS from 'n';
import type { T1 } from "types";
import z = require("z");
import Short = NS.Inner;
import "side-effect";
export { a, b as c } from "./r";
export * from "./s";
export * as t from "./u";
export const { x, y: [w], ...others } = NS.load();
export function both(): void;
export function both(p?: T1) { return import("./lazy"); }
export { D, both as renamed };
export default class {}
namespace Inner { export const hidden = b; }
declare module "ambient" { export function given(): C; }
declare global { interface Window { mine: Short } }
export import Alias = NS.Inner.Deep;
export { default } from "./d";
export type { T1 as Type } from "types";
export as namespace Global;
