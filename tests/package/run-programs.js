/**
 * Runs programs one after another in one process: `node run-programs.js '[{ "file", "env", "urls" }]'`. A program is a module, and it has run
 * when its import has settled. Each gets its own environment variables, and its own port in `PORT`; after it has run, each of its `urls` must answer.
 * Prints one line of JSON for each program: `null`, or what went wrong.
 */
import { createServer } from "node:net";
import { pathToFileURL } from "node:url";

for (const { file, env, urls } of JSON.parse(process.argv[2] ?? "[]")) {
  const port = await freePort();
  Object.assign(process.env, env, { PORT: String(port) });
  let problem = null;
  try {
    await import(pathToFileURL(file).href);
    for (const url of urls) await expectAnswer(url.replace(":8080", `:${port}`));
  } catch (error) {
    problem = error instanceof Error ? `${error.stack ?? error.message}` : String(error);
  }
  console.log(JSON.stringify(problem));
}
// Servers still listen, and pools are still open.
process.exit();

async function expectAnswer(url) {
  const response = await globalThis.fetch(url);
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
