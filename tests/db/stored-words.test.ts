import { beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import { sql } from "kysely";
import { storedWords, wordsOf } from "../../src/db/stored-words.js";
import { wordsQuery } from "../../src/inspector/queries/threads-with-words.js";
import { finderOf } from "../../src/inspector/search/excerpt-of.js";
import { JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const SERIALIZERS = [new MsgpackSerializer(), new JsonSerializer()] as const;

const LETTERS = [
  // Latin, Cyrillic, letters whose bytes look like the headers of strings, and scripts without spaces between words.
  ...["a", "Z", "0", "9", "_", "é", "Ж", "я", "م", "ـ", "ِ", "ي", "退", "款", "ก"],
  // What separates words.
  ...[" ", " ", "\n", ".", '"', "-", "/", "“", "«", "😀", "\u0000"],
];
const letter = fc.constantFrom(...LETTERS);
/** Around the lengths at which MessagePack writes another header. */
const text = fc
  .oneof(
    fc.array(letter, { maxLength: 40 }),
    fc.array(letter, { minLength: 60, maxLength: 200 }),
    fc.array(letter, { minLength: 250, maxLength: 300 }),
  )
  .map((letters) => letters.join(""));

describeAnyTarget("the index of words", (target) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await target.createDatabase();
  });

  /** Whether the words of the searched texts are in the values. */
  async function match(values: readonly Uint8Array[], searched: readonly string[]): Promise<boolean[]> {
    const blobs = values.map((value) => Buffer.from(value).toString("hex"));
    const queries = searched.map((each) => wordsQuery(wordsOf(each)) ?? "");
    const { rows } = await sql<{ found: boolean }>`
      select ${storedWords(sql`decode(hex, 'hex')`)} @@ to_tsquery('simple', words) as found
      from unnest(${blobs}::text[], ${queries}::text[]) with ordinality as given(hex, words, nth) order by nth`.execute(
      database.kysely(),
    );
    return rows.map(({ found }) => found);
  }

  it("has every text that a search finds in a value", async () => {
    const drawn = fc.tuple(text, text, fc.nat(), fc.integer({ min: 1, max: 30 }));
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { minLength: 40, maxLength: 40 }), async (cases) => {
        const searches: { readonly type: string; readonly bytes: Uint8Array; readonly searched: string }[] =
          [];
        for (const [first, second, from, length] of cases) {
          const start = from % Math.max(1, second.length);
          const searched = second
            .slice(start, start + length)
            .toWellFormed()
            .trim();
          if (wordsQuery(wordsOf(searched)) === undefined) continue;
          const { signal } = new AbortController();
          if ((await finderOf(searched).find(second, signal)) === undefined) continue;
          for (const value of [
            { content: second, id: first },
            [{ name: first, text: second }],
            [7, second],
          ]) {
            for (const serializer of SERIALIZERS) {
              const [type, bytes] = await serializer.dumpsTyped(value);
              searches.push({ type, bytes, searched });
            }
          }
        }
        const results = await match(
          searches.map(({ bytes }) => bytes),
          searches.map(({ searched }) => searched),
        );
        const lost = searches.find((_, index) => results[index] !== true);
        expect(
          lost && [lost.type, lost.searched, Buffer.from(lost.bytes).toString("latin1")],
        ).toBeUndefined();
      }),
      { ...runs(5), endOnFailure: true },
    );
  });

  it.each(["hello", "привет", "مرحبا", "退款"])(
    "has the first word of a text of any length: %s",
    async (word) => {
      const texts = Array.from({ length: 400 }, (_, length) => `${word} ${"x".repeat(length)}`);
      const [serializer] = SERIALIZERS;
      const values = await Promise.all(
        texts.map(async (content) => (await serializer.dumpsTyped({ content }))[1]),
      );
      const found = await match(
        values,
        values.map(() => `${word} `),
      );
      expect(found.flatMap((isFound, length) => (isFound ? [] : [length]))).toEqual([]);
    },
  );

  it("takes any bytes", async () => {
    const long = fc.uint8Array({ minLength: 20_000, maxLength: 20_000 });
    const words = Array.from({ length: 20_000 }, (_, index) => index.toString(36)).join(" ");
    const { seed, numRuns } = runs(20);
    const drawn = fc.sample(fc.oneof(fc.uint8Array(), long), { seed, numRuns });
    const values = [...drawn, Buffer.from(words)];
    expect(
      await match(
        values,
        values.map(() => "no such text"),
      ),
    ).toEqual(values.map(() => false));
  });
});
