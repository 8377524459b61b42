import { tsImport } from "tsx/esm/api";

// Starts a server, prints its folders, and dies without a chance to stop it.
const { startEmbeddedServer } = await tsImport("./embedded-server.ts", import.meta.url);
const server = await startEmbeddedServer();
process.stdout.write(`${server.folder}\n${server.data}`, () => process.kill(process.pid, "SIGKILL"));
