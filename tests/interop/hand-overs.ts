import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { EncryptedSerializer } from "../../src/serde/index.js";
import { nextId } from "../../test-support/checkpoints.js";
import { describeServer } from "../../test-support/targets.js";
import { configOf, TwoLanguages } from "./two-languages.js";

const KEY = "0123456789abcdef0123456789abcdef";
const ENCRYPTION = { serde: EncryptedSerializer.fromAesKey(KEY), key: KEY };

const foundShape = z.object({ differences: z.array(z.string()) });

interface HandOver {
  readonly name: string;
  /** Returns the thread that Python reads. */
  readonly run: (both: TwoLanguages) => Promise<string>;
  /** Whether a saver with encryption encrypts what Python has stored in clear text, the scalars in a header. */
  readonly encrypts?: boolean;
}

/** Python reads 3.0 and -0.0 of a header. Encrypted, they are whole numbers, also for the checkpoint that Python stored. */
const ENCRYPTED_FIRST = ["first own: float became int 3", "first own: float became int 0"];
const ENCRYPTED = [...ENCRYPTED_FIRST, "own: float became int 3", "own: float became int 0"];
/** Where TypeScript encrypts integers beyond 64 bits, Python reads those that may have been a float as one. */
const WRITTEN = [
  "own: int became float 1e+21",
  "own: int became float 1e+22",
  "own: int became float 1e+23",
  "own: int became float -1e+21",
  "own: int became float 1.5e+300",
  "own: int became float 1.7976931348623157e+308",
  "own long: int became float 1.8446744073709552e+19",
  "own long: int became NoneType None",
  "own long: int became float -1.6069380442589903e+60",
  "own long: int became float 1e+22",
  "own long: int became float 1e+23",
  "own long: int became NoneType None",
];

/** What a saver does with a thread of Python, none of which changes a value for Python. */
const HAND_OVERS: readonly HandOver[] = [
  {
    name: "copied",
    run: async ({ saver }) => {
      await saver.copyThread("offered", "copied");
      return "copied";
    },
  },
  {
    name: "copied with `reencode`",
    run: async ({ saver }) => {
      await saver.copyThread("offered", "reencoded", { reencode: true });
      return "reencoded";
    },
  },
  {
    name: "forked",
    run: async ({ saver }) => {
      await saver.copyThread("offered", "forked");
      await saver.fork(configOf("forked"));
      return "forked";
    },
    encrypts: true,
  },
  {
    name: "exported and imported",
    run: async ({ saver }) => {
      const lines: string[] = [];
      for await (const line of saver.exportThreads({ threads: ["offered"] })) lines.push(line);
      await saver.deleteThread("offered");
      await saver.importThreads(lines);
      return "offered";
    },
  },
  {
    name: "continued by a node that writes to no channel",
    run: (both) => follow(both, []),
    encrypts: true,
  },
];

/** Hand-overs of every value of Python, each in a channel of its own and in every container. */
export function describeHandOvers(interpreter: string): void {
  for (const [thread, encryption] of [
    ["a thread of Python", undefined],
    ["an encrypted thread of Python", ENCRYPTION],
  ] as const)
    describeServer(thread, (target) => {
      const checkpoint = nextId();
      let both: TwoLanguages;
      beforeAll(async () => {
        both = await TwoLanguages.start(target, interpreter, encryption);
        await both.python.do("offer", { thread: "offered", checkpoint, seed: 7, random: 0 });
      });
      afterAll(() => both.end());

      const differencesIn = async (read: string, written: boolean) => {
        const details = { thread: read, offered: "offered", checkpoint, written };
        const found = foundShape.parse(await both.python.do("kept", details)).differences;
        return found.map((difference) => difference.replace(/ \d+:/, ":"));
      };

      it.each(HAND_OVERS)("has its values in Python after it was $name", async (each) => {
        const read = await each.run(both);
        expect(await differencesIn(read, false)).toEqual(
          encryption && each.encrypts === true ? ENCRYPTED : [],
        );
      });

      it("has them where a node of TypeScript has written each of them", async () => {
        const tuple = await both.saver.getTuple(configOf("offered"));
        await follow(both, Object.keys(tuple?.checkpoint.channel_versions ?? {}));
        expect(await differencesIn("offered", true)).toEqual(
          encryption ? [...ENCRYPTED_FIRST, ...WRITTEN] : [],
        );
      });
    });
}

/** Stores the newest checkpoint of Python's thread once more, with new versions of `channels`. */
async function follow({ saver }: TwoLanguages, channels: readonly string[]): Promise<string> {
  const tuple = await saver.getTuple(configOf("offered"));
  if (tuple === undefined) throw new Error("Python stored nothing");
  const written = Object.fromEntries(channels.map((name) => [name, saver.getNextVersion("1")]));
  const channel_versions = { ...tuple.checkpoint.channel_versions, ...written };
  const checkpoint = { ...tuple.checkpoint, id: nextId(), channel_versions };
  await saver.put(tuple.config, checkpoint, { source: "loop", step: 2, parents: {} }, written);
  return "offered";
}
