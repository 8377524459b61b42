import { Socket } from "node:net";
import { expect, it } from "@jest/globals";
import pg from "pg";
import { type ArchiveRule, type ArchiveTarget, PostgresSaver } from "../../src/index.js";
import { chainValues, insertValue } from "../../test-support/chains.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { type MemoryArchive, memoryArchive } from "../../test-support/memory-archive.js";
import { IS_LONG } from "../../test-support/runs.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { allRows } from "../backup/all-rows.js";

/** Kills a process at one of its steps: from then on, nothing that it does has an effect. */
class Killer {
  readonly #at: number;
  #steps = 0;

  /** @param at - The step at which to kill it, from 1. */
  constructor(at: number) {
    this.#at = at;
  }

  get hasKilled(): boolean {
    return this.#steps >= this.#at;
  }

  /** Counts a step. @throws from the step on at which the process is killed. */
  step(): void {
    this.#steps += 1;
    if (this.hasKilled) throw new Error("killed");
  }
}

/** A target of which every write, the end of each file, and every read is a step. A killed write leaves no file. */
function killable(archive: ArchiveTarget, killer: Killer): ArchiveTarget {
  async function* inSteps(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      killer.step();
      yield chunk;
    }
    killer.step();
  }
  return {
    ...archive,
    write: async (name, content, options) => {
      await archive.write(name, inSteps(content), options);
      killer.step();
    },
    read: async (name, options) => inSteps(await archive.read(name, options)),
  };
}

/** A pool whose connections count everything that they send as a step. */
function killablePool(url: string, killer: Killer): pg.Pool {
  class KillableSocket extends Socket {
    override _write(...args: Parameters<Socket["_write"]>): void {
      const [, , done] = args;
      try {
        killer.step();
        super._write(...args);
      } catch (error) {
        done(toError(error));
      }
    }

    // Node.js passes several chunks at once to this one.
    override _writev(...args: Parameters<NonNullable<Socket["_writev"]>>): void {
      const [, done] = args;
      try {
        killer.step();
        super._writev?.(...args);
      } catch (error) {
        done(toError(error));
      }
    }
  }
  return new pg.Pool({ connectionString: url, max: 1, stream: () => new KillableSocket() }).on(
    "error",
    () => {
      // The connection was killed.
    },
  );
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error("killed");
}

/** Threads with splices, a namespace of a subgraph, pending writes, and an orphaned value. */
async function fill(database: TestDatabase, saver: PostgresSaver, threads: readonly string[]): Promise<void> {
  for (const thread of threads) {
    let config = threadConfig(thread);
    for (let step = 0; step < 3; step++) {
      ({ config } = await putValues(saver, config, { list: [step], other: `${thread} ${step}` }));
      await saver.putWrites(config, [["list", step]], "task");
    }
    await putValues(saver, threadConfig(thread, { checkpoint_ns: "sub" }), { list: [thread] });
    await chainValues(database, thread);
    await insertValue(database, thread, "9");
  }
}

/** Every row by its text, of the database and of what an archive restores into it. */
async function rowsOf(database: TestDatabase): Promise<string[]> {
  return Object.entries(await allRows(database)).flatMap(([table, rows]) =>
    rows.map((row) => `${table} ${row}`),
  );
}

/** Every step is tried in the long tests, and every seventh otherwise. Seven has no period in common with what a step does. */
const STRIDE = IS_LONG ? 1 : 7;

/** A killed process waits for seconds until its server ends the call, so this many are killed at once, each on a database of its own. */
const AT_ONCE = 5;

/** An archive whose process is killed, at one step after another. */
export function describeKilledArchive(name: string, rule: ArchiveRule, filesPer: "thread" | "run"): void {
  describeServer(`archive of ${name}, killed at any step`, (target) => {
    it("loses nothing, and the next run completes it", async () => {
      const filled = await target.sharedDatabase();
      await using saver = new PostgresSaver(filled.source);
      await fill(filled, saver, ["a", "b"]);
      const before = await rowsOf(filled);
      const backup = await collect(saver.exportThreads());
      await saver.archive({ ...rule, filesPer, to: memoryArchive() });
      const after = await rowsOf(filled);
      expect(after.length).toBeLessThan(before.length);

      const lanes = Array.from({ length: AT_ONCE }, (_, lane) => killEach(1 + lane * STRIDE));
      const kills = (await Promise.all(lanes)).reduce((sum, count) => sum + count);
      expect(kills * STRIDE).toBeGreaterThan(30);

      /** Kills at a step and at every one that no other lane takes, until none is left. Returns how often. */
      async function killEach(first: number): Promise<number> {
        const database = await target.migratedDatabase();
        await using own = new PostgresSaver(database.source);
        let kills = 0;
        for (let at = first; ; at += AT_ONCE * STRIDE) {
          await own.importThreads(backup);
          const archive = memoryArchive();
          const killer = new Killer(at);
          const pool = killablePool(database.source, killer);
          const killed = new PostgresSaver(pool, undefined, { retry: false });
          const outcome = killed.archive({ ...rule, filesPer, to: killable(archive, killer) });
          await outcome.catch(() => undefined);
          await killed.end();
          await pool.end();
          await expectNothingLost(database, { archive, saver: own });
          if (!killer.hasKilled) return kills;
          kills += 1;
        }
      }

      /** What is left and what the archive restores is everything, and the next run removes the rest. */
      async function expectNothingLost(
        at: TestDatabase,
        state: { archive: MemoryArchive; saver: PostgresSaver },
      ): Promise<void> {
        await state.saver.archive({ ...rule, filesPer, to: state.archive });
        expect(await rowsOf(at)).toEqual(after);
        await state.saver.restore({ from: state.archive, threads: ["a", "b"] });
        expect(await rowsOf(at)).toEqual(before);
      }
    });
  });
}
