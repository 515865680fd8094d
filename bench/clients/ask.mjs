// A client of the TypeScript SDK 1, or of the TypeScript client 2: what ask.py does, in its language.
const given = JSON.parse(process.argv[2]);
const load = (path) => import(`${given.modules}/@modelcontextprotocol/${path}`);
const first = given.client === "typescript-1";
const { Client } = await load(first ? "sdk/dist/esm/client/index.js" : "client/dist/index.mjs");
const { StdioClientTransport } = await load(
  first ? "sdk/dist/esm/client/stdio.js" : "client/dist/stdio.mjs",
);
const roots = given.roots.map((uri) => ({ uri }));
const capabilities = roots.length ? { roots: { listChanged: true } } : {};
// by default it opens with a handshake
const modern = given.client.endsWith("-modern");
const opening = modern ? { versionNegotiation: { mode: "auto" } } : {};
const client = new Client({ name: given.client, version: "1" }, { capabilities, ...opening });
if (roots.length) {
  const method = first ? (await load("sdk/dist/esm/types.js")).ListRootsRequestSchema : "roots/list";
  client.setRequestHandler(method, () => ({ roots }));
}
const [command, ...args] = given.command;
await client.connect(new StdioClientTransport({ command, args }));
console.log((await client.listTools()).tools.map((tool) => tool.name));
await makeCalls();
if (roots.length && !modern) {  // that version has no word for a change
  roots.pop();
  await client.sendRootsListChanged();
  await makeCalls();
}
await client.close();

async function makeCalls() {
  for (const [name, values] of given.calls) {
    try {
      console.log(name, JSON.stringify(await client.callTool({ name, arguments: values })));
    } catch (error) {
      console.log(name, "refused:", error.message);
    }
  }
}
