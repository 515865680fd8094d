let x: A | B, total = 0;
if (x instanceof A) { x.a(); const only = 1; }
else if (isB(x)) { x.b(); }
else { other(x); }
function f(s: Shape, t?: string) {
  if (!(s instanceof Circle)) return;
  switch (s.kind) { case "a": case "b": s.ab(); break; case "c": { let y = s.c(); } default: none(); }
  const z = typeof s.k === "string" ? s.k.trim() : s.k ?? t;
  return s.kind === "a" && s.go() || typeof t === "function" && t();
}
for (const [k, v] of pairs(x)) { k(v); }
for (let i = 0, n = size(); i < n; i++) { go(i); }
for await (x.y of stream) {}
for (var key in x) { total += key; }
while ((x = next())) { x.step(); }
do { x ||= again(); } while (x);
label: try { risky(); } catch ({ message }) { log(message); } finally { done(); }
({ a: x, b: [x.y, ...rest], c = 1 } = source);
[x, total] = [total, x];
const g = async function* named() { const got = await x; yield* other(got); throw new Error(`a ${x}`); };
function outer() { function inner() { x = hoisted(); } function hoisted() { var late; late = x; } return inner; }
const el = a?.b?.[0]?.(1)["c"][k](...rest), tagged = tag`a ${el} b`;
if (x || !sure!(el) || !A.guess<B>(el)) delete x.y, void x;
function sure(v: A | B, w: unknown) { assert(v instanceof A && w.kind !== "c"); v.a(); assertIsB(w); w.b(); }
