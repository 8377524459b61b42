import { createServer } from "node:net";

/** Returns a TCP port of 127.0.0.1 that nobody listens on now. Another program may take it before the caller does. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === "object") resolve(address.port);
        else reject(new Error("The operating system gave no port"));
      });
    });
  });
}
