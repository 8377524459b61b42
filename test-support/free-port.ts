import { createServer } from "node:net";

/** A TCP port of 127.0.0.1 that nobody listens on at this moment; another program may be faster than the caller. */
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
