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
  /** What the client sends is delayed from the first chunk on that this matches. */
  #delayFrom: RegExp | undefined;
  /** What the client has sent since then. */
  #delayed: Buffer[] | undefined;

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

  /** Resets the client's side alone: the server does not hear of it while what the client sends is delayed. */
  resetClient(): void {
    this.#client.resetAndDestroy();
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

  /**
   * Keeps what the client sends from the first chunk on that `from` matches, and keeps from the server that the client has gone,
   * until {@link deliver}. Bytes on their way arrive like that, when the client has closed its socket meanwhile. The
   * answers of the server pass.
   */
  delay(from: RegExp): void {
    this.#delayFrom = from;
  }

  /** Whether anything that the client has sent is on its way. */
  get hasDelayed(): boolean {
    return this.#delayed !== undefined;
  }

  /** Sends the server what was kept, and then that the client has gone. Resolves when the server has done all of it. */
  async deliver(): Promise<void> {
    const delayed = this.#delayed ?? [];
    this.#delayed = undefined;
    this.#delayFrom = undefined;
    this.#client.destroy();
    if (this.#server.destroyed) return;
    const closed = new Promise((resolve) => this.#server.once("close", resolve));
    // Nobody takes the answers, and they must not hold the server up.
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
      // A slow reader slows the writer down, but must not wake up a connection that is held.
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
