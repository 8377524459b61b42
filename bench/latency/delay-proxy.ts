/**
 * A TCP proxy that delays everything in both directions. It runs in a process of its own, so that the measured thread
 * does not do its work. Arguments: host and port of the server, milliseconds.
 */
import { connect, createServer, type Socket } from "node:net";

const [host = "127.0.0.1", port = "5432", delayMs = "1"] = process.argv.slice(2);

function forward(from: Socket, to: Socket): void {
  const later = (deliver: () => void) => setTimeout(deliver, Number(delayMs));
  // Timers of one length fire in the order of creation, so the order of bytes is kept.
  from.on("data", (chunk) => {
    later(() => to.write(chunk));
  });
  from.on("end", () => {
    later(() => to.end());
  });
  from.on("error", () => {
    to.destroy();
  });
}

const proxy = createServer((client) => {
  const server = connect(Number(port), host);
  client.setNoDelay(true);
  server.setNoDelay(true);
  forward(client, server);
  forward(server, client);
});

proxy.listen(0, "127.0.0.1", () => {
  process.send?.(proxy.address());
});
// The process that started it is gone.
process.on("disconnect", () => {
  process.exit();
});
