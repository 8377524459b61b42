import type { RunnableConfig } from "@langchain/core/runnables";
import pg from "pg";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import type { BenchDatabase, BenchServer } from "../bench-server.js";
import { measureMemory } from "../memory/measure-memory.js";
import { quantile } from "../measure/statistics.js";
import { takeTurns, timed } from "../measure/take-turns.js";
import { openPool } from "../open-pool.js";
import { tablesBytes } from "../scenarios/disk.js";
import type { Size } from "../scenarios/scenario.js";
import type { Saver } from "../subjects.js";
import type { History } from "./histories.js";
import { listFirst, prepareStep, readNewest, type StoredStep, type Storer, STORERS } from "./storers.js";

/** The number of points of a curve. */
const POINTS = 20;
const LAST_PUTS = 100;
const LISTED = 100;
/** Rounds of each read. The official saver reads a list to its end, which takes seconds. */
const ROUNDS = { getTuple: 24, list: 4 };

/** What one storer took for a history. */
export interface GrowthFigures {
  /** Tables with indexes after `VACUUM`, in millions of bytes. */
  readonly diskMB: number;
  /** Written to the log while the history was stored. */
  readonly walMB: number;
  readonly putsS: number;
  readonly lastPutP50Ms: number;
  readonly lastPutP99Ms: number;
  readonly getTupleMs: number;
  readonly listFirstMs: number;
  readonly list100Ms: number;
  /** Of a process that lists all checkpoints, above that of an idle one; or the fate of the process. */
  readonly memoryMB: number | string;
  readonly curve: readonly GrowthPoint[];
}

/** What a storer took up to a step. */
export interface GrowthPoint {
  readonly step: number;
  readonly diskMB: number;
  /** The median of the puts since the last point. */
  readonly putMs: number;
}

/** The figures of a history by storer. */
export interface GrowthResult {
  readonly name: string;
  readonly steps: number;
  readonly figures: Readonly<Record<Storer["id"], GrowthFigures>>;
}

/** Stores a history by each storer in turns, step by step, and reads it likewise. */
export async function measureGrowth(
  history: History,
  server: BenchServer,
  { quick }: Size,
): Promise<GrowthResult> {
  const control = new pg.Client({ connectionString: server.url });
  await control.connect();
  const runs: Run[] = [];
  try {
    for (const storer of STORERS) runs.push(await Run.start(storer, server, control));
    let step = 0;
    let current = history.at(0);
    await takeTurns(
      runs.map((run) => async () => {
        if (run.steps === step) await run.put(step, current);
        if (runs.every(({ steps }) => steps === step + 1)) {
          step++;
          if (step % Math.ceil(history.steps / POINTS) === 0) for (const each of runs) await each.addPoint();
          if (step < history.steps) current = history.at(step);
        }
      }),
      history.steps,
    );
    for (const run of runs) await run.endStoring();
    await takeTurns(
      runs.map((run) => () => run.getTuple()),
      ROUNDS.getTuple,
    );
    for (const limit of [1, Math.min(LISTED, history.steps)]) {
      await takeTurns(
        runs.map((run) => () => run.list(limit)),
        ROUNDS.list,
      );
    }
    const figures: Partial<Record<Storer["id"], GrowthFigures>> = {};
    for (const run of runs) figures[run.storer.id] = await run.figures(history.steps, quick);
    const { whole, spliced, official, delta } = figures;
    if (!whole || !spliced || !official || !delta) throw new Error("a storer is missing");
    return { name: history.name, steps: history.steps, figures: { whole, spliced, official, delta } };
  } finally {
    for (const run of runs) await run.end();
    await control.end();
  }
}

/** One storer with its database. */
class Run {
  readonly storer: Storer;
  readonly #database: BenchDatabase;
  readonly #control: pg.Client;
  readonly #pool: pg.Pool;
  readonly #saver: Saver;
  readonly #thread: string;
  readonly #putMs: number[] = [];
  readonly #curve: GrowthPoint[] = [];
  readonly #readMs: { getTuple: number[]; lists: Map<number, number[]> } = { getTuple: [], lists: new Map() };
  #last: StoredStep;
  #walBytes = 0;
  #pointedTo = 0;

  private constructor(storer: Storer, database: BenchDatabase, control: pg.Client) {
    this.storer = storer;
    this.#database = database;
    this.#control = control;
    this.#pool = openPool(database.source);
    this.#saver = storer.open(this.#pool);
    this.#thread = newThread();
    this.#last = { config: threadConfig(this.#thread) };
  }

  static async start(storer: Storer, server: BenchServer, control: pg.Client): Promise<Run> {
    const run = new Run(storer, await server.emptyDatabase(), control);
    await run.#saver.setup();
    return run;
  }

  /** The number of steps that are stored. */
  get steps(): number {
    return this.#putMs.length;
  }

  async put(step: number, value: ReturnType<History["at"]>): Promise<void> {
    const store = prepareStep(this.storer, this.#saver, this.#last, step, value);
    const before = await this.#walPosition();
    this.#putMs.push(
      await timed(async () => {
        this.#last = await store();
      }),
    );
    this.#walBytes += (await this.#walPosition()) - before;
  }

  async addPoint(): Promise<void> {
    const putMs = median(this.#putMs.slice(this.#pointedTo));
    this.#pointedTo = this.steps;
    this.#curve.push({ step: this.steps, putMs, diskMB: (await tablesBytes(this.#database)) / 1e6 });
  }

  /** Brings the database into the state of a production database. */
  endStoring(): Promise<void> {
    return this.#database.exec("vacuum analyze");
  }

  async getTuple(): Promise<void> {
    this.#readMs.getTuple.push(await timed(() => readNewest(this.storer, this.#saver, this.#config)));
  }

  async list(limit: number): Promise<void> {
    const times = this.#readMs.lists.get(limit) ?? [];
    times.push(await timed(() => listFirst(this.#saver, this.#config, limit)));
    this.#readMs.lists.set(limit, times);
  }

  async figures(steps: number, quick: boolean): Promise<GrowthFigures> {
    const lists = [...this.#readMs.lists.values()].map(median);
    const task = {
      subject: SUBJECTS[this.storer.id],
      url: this.#database.source,
      thread: this.#thread,
      kind: "list",
      checkpoints: steps,
    } as const;
    // A process of its own takes seconds to start.
    const memory = quick ? "not measured" : await measureMemory(task);
    return {
      diskMB: (await tablesBytes(this.#database)) / 1e6,
      walMB: this.#walBytes / 1e6,
      putsS: this.#putMs.reduce((sum, ms) => sum + ms, 0) / 1e3,
      lastPutP50Ms: median(this.#putMs.slice(-LAST_PUTS)),
      lastPutP99Ms: quantile(
        this.#putMs.slice(-LAST_PUTS).toSorted((a, b) => a - b),
        0.99,
      ),
      getTupleMs: median(this.#readMs.getTuple),
      listFirstMs: lists[0] ?? NaN,
      list100Ms: lists[1] ?? NaN,
      memoryMB: typeof memory === "string" ? memory : memory.peak - memory.idle,
      curve: this.#curve,
    };
  }

  async end(): Promise<void> {
    await this.#pool.end();
    await this.#database.giveBack();
  }

  get #config(): RunnableConfig {
    return threadConfig(this.#thread);
  }

  async #walPosition(): Promise<number> {
    const { rows } = await this.#control.query<{ bytes: string }>(
      "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes",
    );
    return Number(rows[0]?.bytes);
  }
}

const SUBJECTS = { whole: "ours", spliced: "spliced", official: "official", delta: "ours" } as const;

function median(times: readonly number[]): number {
  return quantile(
    times.toSorted((a, b) => a - b),
    0.5,
  );
}
