/**
 * A TCP proxy that delivers what comes in, in either direction, so many milliseconds later. A process of its own, so
 * that its work is not done by the thread that is measured. Arguments: host and port of the server, milliseconds.
 */
import { connect, createServer, type Socket } from "node:net";

const [host = "127.0.0.1", port = "5432", delayMs = "1"] = process.argv.slice(2);

function forward(from: Socket, to: Socket): void {
  const later = (deliver: () => void) => setTimeout(deliver, Number(delayMs));
  // Timers of one length fire in the order of their making, so nothing is delivered out of order.
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
// Whoever started it is gone.
process.on("disconnect", () => {
  process.exit();
});
