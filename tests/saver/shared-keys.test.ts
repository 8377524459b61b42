import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import {
  type CheckpointDatabase,
  PostgresSaver,
  type PostgresSaverOptions,
  ShallowPostgresSaver,
} from "../../src/index.js";
import { collect, metadataOf } from "../../test-support/checkpoints.js";
import type { CheckpointBatch } from "../../src/saver/batch.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { resultOrCode } from "../model/result-or-code.js";
import { Opened } from "./opened.js";
import {
  checkpointAt,
  configOf,
  fill,
  IDS,
  nameOf,
  partsAt,
  partsOf,
  PLACES,
  putStep,
  type SharedPlace,
} from "./shared-places.js";

/** Everything that a place holds, as its readers see it. */
async function readPlace(saver: PostgresSaver, place: SharedPlace): Promise<unknown> {
  const configs = [
    configOf(place),
    ...Array.from({ length: place.steps }, (_, at) => configOf(place, at + 1)),
  ];
  const checkpoint_ns = place.ns;
  return {
    tuples: await Promise.all(configs.map((config) => saver.getTuple(config))),
    parts: await Promise.all(configs.map((config) => saver.getTuple(config, { channels: ["list"] }))),
    listed: await collect(saver.list(configOf(place))),
    values: await Promise.all(
      ["list", "kept", "unknown"].map((channel) =>
        saver.getChannelValues({ threadIds: [place.thread], channel, checkpointNs: checkpoint_ns }),
      ),
    ),
    deltas: await Promise.all(
      configs.map((config) => saver.getDeltaChannelHistory({ config, channels: ["delta", "kept"] })),
    ),
  };
}

interface Row {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
}

const ROWS = ["checkpoints", "checkpoint_writes", "checkpoint_blobs"]
  .map((table) => `select '${table}' as name, to_jsonb(${table}) as row from ${table}`)
  .join(" union all ");

/** What is done in one place. It resolves to what tells whether it was refused. */
type Act = (saver: PostgresSaver, place: SharedPlace, database: TestDatabase) => Promise<unknown>;

/** The last step, which follows the newest checkpoint of its place, or one that only other places have. */
const putLast: Act = (saver, place) => putStep(saver, place, IDS.length, place.steps);
const putOrphan: Act = (saver, place) => putStep(saver, place, IDS.length, place.steps + 1);

const ACTS: Readonly<Record<string, Act>> = {
  put: putLast,
  "a put whose parent is missing": putOrphan,
  "a put whose older parent is not the newest one": (saver, place) => putStep(saver, place, IDS.length, 1),
  "a put of a checkpoint that only some places have": (saver, place) => putStep(saver, place, 4, 1),
  "a put without new versions": (saver, place) =>
    saver.put(configOf(place, place.steps), checkpointAt(place, IDS.length), metadataOf()),
  "a put without new versions, where some places lack an unchanged value": async (saver, place, database) => {
    if (place.thread === "b")
      await database.query(
        "delete from checkpoint_blobs where thread_id = 'b' and checkpoint_ns = $1 and channel = 'kept'",
        [place.ns],
      );
    await saver.put(configOf(place, place.steps), checkpointAt(place, IDS.length), metadataOf());
  },
  putWrites: (saver, place) => saver.putWrites(configOf(place, 1), [["list", nameOf(place)]], "other task"),
  "a batch with a put whose parent is missing": (saver, place) =>
    saver.batch(async (batch) => {
      await putStep(puttingIn(batch), place, IDS.length, place.steps + 1);
    }),
};

/** A call that waits for a lock of others fails. */
const BOUNDED = { grouping: false, retry: false, statementTimeoutMs: 5_000 } as const;

const RULES: readonly PostgresSaverOptions[] = [{}, { concurrency: "optimistic" }, { keepLast: 2 }];

/** A batch takes no signal, which no act has. */
const puttingIn = (batch: CheckpointBatch): Pick<PostgresSaver, "put"> => ({
  put: (config, checkpoint, metadata, newVersions) => batch.put(config, checkpoint, metadata, newVersions),
});

describeServer("places that have all ids, channels and versions in common", (target) => {
  let database: TestDatabase<string>;
  const opened = new Opened();

  beforeEach(async () => {
    database = await target.sharedDatabase();
  });
  afterEach(() => opened.end());

  /** Where calls share statements, only one has a statement of its own. */
  const saverWith = (options: PostgresSaverOptions): PostgresSaver =>
    opened.saver(opened.pool({ connectionString: database.source, max: 3 }), options);

  const empty = () =>
    database.exec("delete from checkpoints; delete from checkpoint_blobs; delete from checkpoint_writes");

  /** Spells a number in some headers as Python spells a float. A checkpoint that follows one of them has the same spelling. */
  const respell = () =>
    database.exec(
      `update checkpoints set checkpoint = jsonb_set(checkpoint, '{channel_values,count}', '7.0')
        where checkpoint_ns = 'numbers' and thread_id in ('a', 'c') and metadata ->> 'step' <> '1'`,
    );

  /** Removes what Python's saver drops from the headers of channels that it doesn't know. */
  const dropUnknown = () =>
    database.query(
      `update checkpoints set checkpoint = checkpoint #- '{channel_values,unknown}' where checkpoint_ns = 'child' and checkpoint_id > $1`,
      [IDS[0]],
    );

  const rows = async () =>
    (await database.query<{ name: string; row: Row }>(`${ROWS} order by 1, 2`)).map(({ name, row }) => ({
      name,
      ...row,
    }));
  const isOf =
    ({ thread, ns }: SharedPlace) =>
    ({ thread_id, checkpoint_ns }: Row) =>
      thread_id === thread && checkpoint_ns === ns;

  /** Does something in each place alone, in a database that has nothing else. */
  async function each<T>(saver: PostgresSaver, act: (place: SharedPlace) => Promise<T>): Promise<T[]> {
    const results: T[] = [];
    for (const place of PLACES) {
      await empty();
      await fill(saver, [place]);
      await respell();
      results.push(await act(place));
    }
    await empty();
    return results;
  }

  it("read as if nothing else was stored, each by itself or in statements with others", async () => {
    const alone = saverWith({ grouping: false });
    const expected = await each(alone, async (place) => {
      await dropUnknown();
      for (let step = 1; step <= place.steps; step++)
        expect(partsOf(await alone.getTuple(configOf(place, step)))).toEqual(partsAt(place, step));
      return readPlace(alone, place);
    });
    for (const options of [{ grouping: false }, {}, { splices: true }]) {
      const saver = saverWith(options);
      await fill(saver, PLACES);
      await respell();
      await dropUnknown();
      const read = await Promise.all(PLACES.map((place) => readPlace(saver, place)));
      expect({ options, read }).toEqual({ options, read: expected });
      await empty();
    }
  });

  describe.each(RULES)("with %j", (options) => {
    it.each(Object.entries(ACTS))(
      "change, all at the same time by %s, as if nothing else was stored",
      async (_name, act) => {
        const saver = saverWith(options);
        const alone = saverWith({ ...options, grouping: false });
        const expected = await each(alone, async (place) => {
          const result = await resultOrCode(act(alone, place, database));
          return { result, rows: await rows() };
        });
        await fill(saver, PLACES);
        const results = await Promise.all(PLACES.map((place) => resultOrCode(act(saver, place, database))));
        const all = await rows();
        expect(
          PLACES.map((place, at) => ({ result: results[at], rows: all.filter((row) => isOf(place)(row)) })),
        ).toEqual(expected);
      },
    );

    it("change by one batch as if nothing else was stored", async () => {
      const saver = saverWith(options);
      // Some follow a checkpoint that only other places have, where that is allowed.
      const isOrphan = ({ ns }: SharedPlace): boolean => options.concurrency === undefined && ns === "";
      const put = (batch: Pick<PostgresSaver, "put">, place: SharedPlace) =>
        putStep(batch, place, IDS.length, place.steps + (isOrphan(place) ? 1 : 0));
      const expected = await each(saver, async (place) => {
        await saver.batch((batch) => put(puttingIn(batch), place));
        return rows();
      });
      await fill(saver, PLACES);
      await respell();
      await saver.batch(async (batch) => {
        for (const place of PLACES) await put(puttingIn(batch), place);
      });
      const all = await rows();
      expect(PLACES.map((place) => all.filter((row) => isOf(place)(row)))).toEqual(expected);
    });
  });

  it.each<[string, Act]>([
    ["deleteThread", (saver, { thread }) => saver.deleteThread(thread)],
    [
      "a put of a shallow saver",
      async (_saver, place) => {
        await using shallow = new ShallowPostgresSaver(database.source, undefined, BOUNDED);
        await putLast(shallow, place, database);
      },
    ],
    ...Object.entries(ACTS),
  ])(
    "stay as they are, and nobody waits for their rows, while another one is changed by %s",
    async (name, act) => {
      const saver = saverWith(BOUNDED);
      await fill(saver, PLACES);
      const place = PLACES[4];
      if (place === undefined) throw new Error("no place");
      const isOther = (row: Row): boolean =>
        name === "deleteThread" ? row.thread_id !== place.thread : !isOf(place)(row);
      const before = (await rows()).filter(isOther);
      await database
        .kysely<CheckpointDatabase>()
        .transaction()
        .execute(async (transaction) => {
          for (const table of ["checkpoints", "checkpoint_writes", "checkpoint_blobs"] as const)
            await transaction
              .selectFrom(table)
              .select("type")
              .where((eb) =>
                eb.or([
                  eb("thread_id", "<>", place.thread),
                  ...(name === "deleteThread" ? [] : [eb("checkpoint_ns", "<>", place.ns)]),
                ]),
              )
              .forUpdate()
              .execute();
          await act(saver, place, database);
        });
      expect((await rows()).filter(isOther)).toEqual(before);
    },
  );
});
