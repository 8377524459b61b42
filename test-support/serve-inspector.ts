import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInspector, type InspectorOptions, nodeListener } from "../src/inspector/index.js";
import type { CheckpointSaver } from "../src/index.js";

/** A running inspector. */
export interface RunningInspector {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the inspector of a saver on this machine. By default everybody may read. */
export async function serveInspector(
  saver: CheckpointSaver,
  options: Partial<InspectorOptions> = {},
): Promise<RunningInspector> {
  const inspector = createInspector(saver, { authorize: () => true, ...options });
  const server = createServer(nodeListener(inspector));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${options.basePath ?? ""}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
