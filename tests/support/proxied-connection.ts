import { connect, type Socket } from "node:net";
import { MessageReader, TERMINATED } from "./ready-for-query.js";

/** The two ways that bytes go. */
export type Direction = "toServer" | "toClient";

/** One client's connection to the server, as far as a proxy can disturb it. */
export class ProxiedConnection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #onEnd: () => void;
  #onTerminated: () => void = ignore;
  #cutNext: Direction | undefined;
  #untilReady: MessageReader | undefined;
  #isHeld = false;
  #isForgotten = false;

  constructor(client: Socket, server: { readonly host: string; readonly port: number }, onEnd: () => void) {
    this.#client = client;
    this.#server = connect(server.port, server.host);
    this.#onEnd = onEnd;
    this.#forward("toServer", this.#client, this.#server);
    this.#forward("toClient", this.#server, this.#client);
  }

  /** Resets the client's side, as a router does that has forgotten the connection, and closes the server's. */
  reset(): void {
    // A socket that is shutting down can't be reset: Node would let go of it without closing it.
    if (this.#client.writableEnded) this.#client.destroy();
    else if (!this.#client.destroyed) this.#client.resetAndDestroy();
    this.#server.destroy();
    this.#end();
  }

  /** Lets half of what comes next that way through, and then resets the connection. */
  cutNext(direction: Direction): void {
    this.#cutNext = direction;
  }

  /**
   * Ends the connection as `pg_terminate_backend` does, at the moment when the server is ready for the next statement: the client
   * receives ReadyForQuery and the FATAL error in one chunk. To be called when the server has nothing to send.
   *
   * @param onTerminated - Called when the server has become ready.
   */
  terminateWhenReady(onTerminated: () => void): void {
    this.#untilReady = new MessageReader();
    this.#onTerminated = onTerminated;
  }

  /** Holds what comes from either side back until {@link resume}. */
  pause(): void {
    this.#isHeld = true;
    this.#client.pause();
    this.#server.pause();
  }

  resume(): void {
    if (this.#isForgotten) return;
    this.#isHeld = false;
    this.#client.resume();
    this.#server.resume();
  }

  /** Lets nothing through ever after, and neither side hear that the other has gone: only {@link reset} ends it. */
  forget(): void {
    this.#isForgotten = true;
    this.pause();
  }

  #forward(direction: Direction, from: Socket, to: Socket): void {
    from.on("data", (chunk: Buffer) => {
      if (this.#cutNext === direction && chunk.length > 1) {
        to.write(chunk.subarray(0, chunk.length >> 1), () => {
          this.reset();
        });
        return;
      }
      if (direction === "toClient" && this.#untilReady !== undefined) {
        this.#forwardUntilReady(this.#untilReady, chunk);
        return;
      }
      // A slow reader slows the writer down, but must not wake up a connection that is held.
      if (!to.write(chunk)) {
        from.pause();
        to.once("drain", () => {
          if (!this.#isHeld) from.resume();
        });
      }
    });
    from.on("end", () => {
      if (!this.#isForgotten) to.end();
    });
    from.on("error", () => {
      if (!this.#isForgotten) this.reset();
    });
    from.on("close", () => {
      if (this.#isForgotten) return;
      to.destroy();
      this.#end();
    });
  }

  #forwardUntilReady(reader: MessageReader, chunk: Buffer): void {
    const { messages, isReady } = reader.read(chunk);
    if (!isReady) {
      this.#client.write(messages);
      return;
    }
    this.#onTerminated();
    this.#client.end(Buffer.concat([messages, TERMINATED]));
    this.#server.destroy();
  }

  #end(): void {
    this.#onEnd();
  }
}

function ignore(): void {
  // Nobody waits for it.
}
