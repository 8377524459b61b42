import { connect, type Socket } from "node:net";
import { MessageReader, TERMINATED } from "./ready-for-query.js";

/** The two directions of the bytes. */
export type Direction = "toServer" | "toClient";

/** The connection of one client to the server, which a proxy can disturb. */
export class ProxiedConnection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #onEnd: () => void;
  #onTerminated: () => void = ignore;
  #cutNext: Direction | undefined;
  #untilReady: MessageReader | undefined;
  #isHeld = false;
  #isForgotten = false;
  /** What the client sends is delayed from the first chunk that this matches. */
  #delayFrom: RegExp | undefined;
  /** The delayed chunks. */
  #delayed: Buffer[] | undefined;

  constructor(client: Socket, server: { readonly host: string; readonly port: number }, onEnd: () => void) {
    this.#client = client;
    this.#server = connect(server.port, server.host);
    this.#onEnd = onEnd;
    this.#forward("toServer", this.#client, this.#server);
    this.#forward("toClient", this.#server, this.#client);
  }

  /** Resets the client's side, like a router that has forgotten the connection, and closes the server's side. */
  reset(): void {
    // Node.js closes a socket that is shutting down without a reset.
    if (this.#client.writableEnded) this.#client.destroy();
    else if (!this.#client.destroyed) this.#client.resetAndDestroy();
    this.#server.destroy();
    this.#end();
  }

  /** Resets only the client's side. The server does not notice while what the client sent is delayed. */
  resetClient(): void {
    this.#client.resetAndDestroy();
  }

  /** Forwards half of what comes next in that direction, and then resets the connection. */
  cutNext(direction: Direction): void {
    this.#cutNext = direction;
  }

  /**
   * Ends the connection like `pg_terminate_backend` when the server is ready for the next statement: the client
   * receives ReadyForQuery and the FATAL error in one chunk. Call it when the server has nothing to send.
   *
   * @param onTerminated - Called when the server has become ready.
   */
  terminateWhenReady(onTerminated: () => void): void {
    this.#untilReady = new MessageReader();
    this.#onTerminated = onTerminated;
  }

  /** Holds back what either side sends until {@link resume}. */
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

  /** Drops everything from now on, and hides from each side that the other has closed. Only {@link reset} ends it. */
  forget(): void {
    this.#isForgotten = true;
    this.pause();
  }

  /**
   * Delays what the client sends, from the first chunk that `from` matches until {@link deliver}, and hides from the
   * server that the client has closed. So bytes arrive that were under way when the client closed its socket. The
   * answers of the server pass.
   */
  delay(from: RegExp): void {
    this.#delayFrom = from;
  }

  /** Whether anything that the client has sent is delayed. */
  get hasDelayed(): boolean {
    return this.#delayed !== undefined;
  }

  /**
   * Sends the delayed bytes to the server, and then the end of the client's side. Resolves when the server has
   * processed them.
   */
  async deliver(): Promise<void> {
    const delayed = this.#delayed ?? [];
    this.#delayed = undefined;
    this.#delayFrom = undefined;
    this.#client.destroy();
    if (this.#server.destroyed) return;
    const closed = new Promise((resolve) => this.#server.once("close", resolve));
    // Nobody reads the answers, and they must not block the server.
    this.#server.removeAllListeners("data").resume();
    this.#server.end(Buffer.concat(delayed));
    await closed;
  }

  #forward(direction: Direction, from: Socket, to: Socket): void {
    from.on("data", (chunk: Buffer) => {
      if (direction === "toServer" && this.#delayFrom?.test(chunk.toString("latin1")) === true) {
        this.#delayed ??= [];
      }
      if (direction === "toServer" && this.#delayed !== undefined) {
        this.#delayed.push(chunk);
        return;
      }
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
      // A slow reader slows the writer down, but must not resume a connection that is held.
      if (!to.write(chunk)) {
        from.pause();
        to.once("drain", () => {
          if (!this.#isHeld) from.resume();
        });
      }
    });
    const isHidden = (): boolean =>
      this.#isForgotten || (direction === "toServer" && this.#delayed !== undefined);
    from.on("end", () => {
      if (!isHidden()) to.end();
    });
    from.on("error", () => {
      if (!isHidden()) this.reset();
    });
    from.on("close", () => {
      if (isHidden()) return;
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
