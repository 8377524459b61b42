import { tsImport } from "tsx/esm/api";

// Starts a server, prints its address, and dies without a chance to stop it.
const { startEmbeddedServer } = await tsImport("./embedded-server.ts", import.meta.url);
const server = await startEmbeddedServer();
process.stdout.write(server.folder, () => process.kill(process.pid, "SIGKILL"));
