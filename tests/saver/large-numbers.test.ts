import { beforeAll, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { EncryptedSerializer, JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import {
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const NUMBERS = [2 ** 53, -(2 ** 53), 1e17, 2 ** 60, 2 ** 64, 1e20, 1e21, 1e300];
const INTEGERS = [
  5n,
  2n ** 53n,
  2n ** 53n + 1n,
  10n ** 17n,
  10n ** 18n,
  -(2n ** 63n),
  2n ** 64n,
  10n ** 20n,
  10n ** 30n,
];
const SERIALIZERS = [
  ["MessagePack", new MsgpackSerializer()],
  ["JSON", new JsonSerializer()],
  ["encryption", EncryptedSerializer.fromAesKey("0123456789abcdef")],
] as const;

type Put = Awaited<ReturnType<typeof putValues>>;

/** Stores the next checkpoint, in which only `step` has changed. */
async function passOn(
  saver: PostgresSaver,
  { config, checkpoint }: Put,
  values: Record<string, unknown>,
): Promise<Put> {
  const next = checkpointOf(saver, values, checkpoint);
  const newVersions = { step: saver.getNextVersion(checkpoint.channel_versions.step) };
  next.channel_versions = { ...checkpoint.channel_versions, ...newVersions };
  return { checkpoint: next, config: await saver.put(config, next, metadataOf(), newVersions) };
}

describeAnyTarget("a large whole number that is a channel of its own", (target) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await target.sharedDatabase();
  });

  const valuesIn = async (saver: PostgresSaver, thread: string) =>
    (await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values;

  it.each(SERIALIZERS)(
    "stays a number or a BigInt, also where it is passed on, with %s",
    async (_name, serde) => {
      await using saver = new PostgresSaver(database.source, serde);
      const thread = newThread();
      const values: Record<string, unknown> = { step: 0, list: [...NUMBERS, ...INTEGERS] };
      for (const [index, value] of [...NUMBERS, ...INTEGERS].entries()) values[`c${index}`] = value;
      let put = await putValues(saver, threadConfig(thread), values);
      for (let step = 1; step < 3; step++) {
        const read = await valuesIn(saver, thread);
        expect(read).toStrictEqual(values);
        values.step = step;
        put = await passOn(saver, put, { ...read, step });
      }
      expect(await valuesIn(saver, thread)).toStrictEqual(values);
    },
  );

  it.each(SERIALIZERS)(
    "is a BigInt where Python wrote an integer, and a number where it wrote a float, with %s",
    async (_name, serde) => {
      await using python = new PostgresSaver(database.source);
      await using saver = new PostgresSaver(database.source, serde);
      const thread = newThread();
      const written =
        "9007199254740991 9007199254740992 9007199254740994.0 100000000000000000 1000000000000000000 18446744073709551617";
      const read = [9007199254740991, 2n ** 53n, 9007199254740994, 10n ** 17n, 10n ** 18n, 2n ** 64n + 1n];
      const channels = Object.fromEntries(read.map((_, index) => [`c${index}`, 0]));
      const first = await putValues(python, threadConfig(thread), channels);
      const json = written.split(" ").map((digits, index) => `"c${index}": ${digits}`);
      await database.query(
        "update checkpoints set checkpoint = jsonb_set(checkpoint, '{channel_values}', $1) where thread_id = $2",
        [`{${json.join()}}`, thread],
      );
      const values = Object.fromEntries(read.map((value, index) => [`c${index}`, value]));
      expect(await valuesIn(saver, thread)).toStrictEqual(values);
      await passOn(saver, first, { ...values, step: 1 });
      expect(await valuesIn(saver, thread)).toStrictEqual({ ...values, step: 1 });
    },
  );
});
