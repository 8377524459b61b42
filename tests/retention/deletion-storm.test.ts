import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { PostgresSaver, ShallowPostgresSaver, ThreadExistsError } from "../../src/index.js";
import { AesGcmSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { timesRun } from "../../test-support/runs.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { missingBlobs } from "./stored-rows.js";

/** Each is a thread of its own, at which all calls begin at once. */
const ROUNDS = timesRun(40);

const KEYS = { keys: [{ id: "1", key: new Uint8Array(32).fill(7) }] };

describeServer("concurrent puts, deletions, copies and a shallow saver on one thread", (target) => {
  let database: TestDatabase<string>;
  const savers: PostgresSaver[] = [];
  const open = (serde?: AesGcmSerializer) => {
    const saver = new PostgresSaver(database.source, serde);
    savers.push(saver);
    return saver;
  };
  beforeAll(async () => {
    database = await target.migratedDatabase();
  });
  afterAll(() => Promise.all(savers.map((saver) => saver.end())));

  it(
    "leave no checkpoint without a value",
    async () => {
      const aes = () => open(new AesGcmSerializer(new MsgpackSerializer(), KEYS));
      const [one, two] = [open(), open()];
      const pairs = [
        [one, two],
        [aes(), aes()],
      ] as const;
      const shallow = new ShallowPostgresSaver(database.source);
      for (let round = 0; round < ROUNDS; round++) {
        const [thread, copy] = [`thread ${round}`, `copy ${round}`];
        const [left, right] = round % 2 === 0 ? pairs[0] : pairs[1];
        const root = await putValues(left, threadConfig(thread), { shared: ["shared"], a: ["root"] });
        // Declares all versions as new, so that the saver carries nothing over from a parent.
        const putWhole = (saver: PostgresSaver) => {
          const next = checkpointOf(saver, { a: ["next"] }, root.checkpoint);
          const channel_values = { ...root.checkpoint.channel_values, ...next.channel_values };
          const checkpoint = { ...next, channel_values };
          return saver.put(root.config, checkpoint, metadataOf(), allVersions(checkpoint));
        };
        // Carries the value of `shared` over from its parent, twice.
        const putSuccessors = async (saver: PostgresSaver) => {
          let last = root;
          for (const step of ["second", "third"]) {
            const next = checkpointOf(saver, { a: [step] }, last.checkpoint);
            const checkpoint = { ...next, channel_values: { ...root.checkpoint.channel_values, a: [step] } };
            const config = await saver.put(last.config, checkpoint, metadataOf(), allVersions(next));
            last = { config, checkpoint };
          }
        };
        const calls = [
          () => putSuccessors(right),
          () => putWhole(left),
          () => two.deleteThread(thread),
          () => putWhole(right),
          () => one.prune([thread], { strategy: round % 3 === 0 ? "delete" : "keep_latest" }),
          () => putWhole(left),
          () => left.copyThread(thread, copy).catch(ignoreThreadExists),
          () => right.copyThread(thread, copy).catch(ignoreThreadExists),
          () => two.prune([copy]),
          () => one.deleteThread(copy),
          () => putValues(shallow, threadConfig(thread), { shared: ["shared"], a: ["shallow"] }),
        ];
        // Each round starts them in another order.
        const first = round % calls.length;
        await Promise.all([...calls.slice(first), ...calls.slice(0, first)].map((call) => call()));
      }
      expect(await missingBlobs(database)).toEqual([]);
      for (const { checkpoint } of await collect(aes().list({})))
        expect(Object.keys(checkpoint.channel_values).sort()).toEqual(["a", "shared"]);
      await shallow.end();
    },
    timesRun(60_000),
  );
});

/** Ignores that the target has checkpoints which the source, changed by concurrent calls, no longer has. */
function ignoreThreadExists(error: unknown): void {
  if (!(error instanceof ThreadExistsError)) throw error;
}
