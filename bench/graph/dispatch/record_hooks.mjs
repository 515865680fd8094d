// Hooks of Node's loader that instrument ES modules of the root.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const { instrument, pathInside } = createRequire(import.meta.url)("./instrument.cjs");

export async function load(url, context, next) {
  const loaded = await next(url, context);
  const inside = url.startsWith("file:") ? pathInside(fileURLToPath(url)) : undefined;
  if (inside === undefined || loaded.format !== "module" || !loaded.source) return loaded;
  const made = instrument(Buffer.from(loaded.source).toString(), inside, true);
  if (made === undefined) return loaded;
  const table = JSON.stringify([inside, made.table]);
  const first = `globalThis.Buffer.graphTable?.(...${table});`;
  return { ...loaded, source: made.text.startsWith("#!") ? made.text : first + made.text };
}
