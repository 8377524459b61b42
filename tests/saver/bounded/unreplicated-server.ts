import { afterAll, afterEach, beforeAll, beforeEach } from "@jest/globals";
import { PostgresSaver } from "../../../src/index.js";
import { putValues, threadConfig } from "../../../test-support/checkpoints.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../../test-support/embedded-server.js";
import { SynchronousStandby } from "../../../test-support/synchronous-standby.js";
import { type BoundedCall, CALLS, type Stored } from "./calls.js";

/** A time limit that is long enough for each statement to reach its commit, also on a busy machine. */
export const TIMEOUT_MS = 500;

const PRUNE: BoundedCall = {
  what: "prune",
  reads: false,
  call: ({ saver }, signal) => saver.prune(["stored"], { signal }),
};

/** Every call that changes the thread of {@link UnreplicatedServer.store}. */
export const WRITES = [...CALLS.filter(({ what }) => /put|delete|batch/.test(what)), PRUNE];

/** A server whose synchronous standby gets lost. */
export class UnreplicatedServer {
  readonly #server: EmbeddedServer;
  readonly standby: SynchronousStandby;

  constructor(server: EmbeddedServer) {
    this.#server = server;
    this.standby = new SynchronousStandby(server.url);
  }

  get url(): string {
    return this.#server.url;
  }

  /** Stores two checkpoints, so that one can be pruned. From then on no commit is confirmed. */
  async store(saver: PostgresSaver): Promise<Stored> {
    await using writer = new PostgresSaver(this.url);
    const first = await putValues(writer, threadConfig("stored"), { a: ["first"] });
    const second = await putValues(writer, first.config, { a: ["second"] }, first.checkpoint);
    await this.standby.lose();
    return { saver, ...second };
  }

  async empty(): Promise<void> {
    await using saver = new PostgresSaver(this.url);
    await saver.setup();
    await saver.deleteThread("stored");
  }

  remove(): Promise<void> {
    return this.#server.remove();
  }
}

/** Starts a server for the suite, whose standby is there at the beginning of each test. Returns it once the tests run. */
export function useUnreplicatedServer(): () => UnreplicatedServer {
  let server: UnreplicatedServer;
  beforeAll(async () => {
    server = new UnreplicatedServer(await startEmbeddedServer());
  });
  beforeEach(() => server.empty());
  afterEach(() => server.standby.restore());
  afterAll(() => server.remove());
  return () => server;
}
