import { expect } from "@jest/globals";
import fc from "fast-check";
import type { CheckpointSaver } from "../../src/checkpoint-saver.js";
import type { ReadOptions } from "../../src/saver/boundary/parse-read.js";
import { collect } from "../../test-support/checkpoints.js";
import {
  type At,
  CHANNELS,
  configAt,
  filter,
  id,
  place,
  sometimes,
  type Step,
  describeCall,
  THREADS,
  weighted,
} from "./histories.js";
import type { ReferenceSaver } from "./reference-saver.js";

interface Lookup extends At {
  /** The newest checkpoint when undefined. */
  readonly id: string | undefined;
  readonly options: ReadOptions;
}

class GetTuple implements Step {
  readonly #lookup: Lookup;

  constructor(lookup: Lookup) {
    this.#lookup = lookup;
  }

  check(): boolean {
    return true;
  }

  async run(model: ReferenceSaver, saver: CheckpointSaver): Promise<void> {
    const config = configAt(this.#lookup, model.idOf(this.#lookup.id));
    const { options } = this.#lookup;
    expect(await saver.getTuple(config, options)).toStrictEqual(await model.getTuple(config, options));
  }

  toString(): string {
    return describeCall("getTuple", this.#lookup);
  }
}

interface Listing {
  readonly configurable: Readonly<Record<string, string>>;
  readonly before: string | undefined;
  readonly limit: number | undefined;
  readonly filter: Record<string, unknown> | undefined;
  readonly options: ReadOptions;
}

class List implements Step {
  readonly #listing: Listing;

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  check(): boolean {
    return true;
  }

  async run(model: ReferenceSaver, saver: CheckpointSaver): Promise<void> {
    const { configurable, before, limit, filter, options } = this.#listing;
    const all = {
      ...options,
      ...(before === undefined ? {} : { before: { configurable: { checkpoint_id: before } } }),
      ...(limit === undefined ? {} : { limit }),
      ...(filter === undefined ? {} : { filter }),
    };
    const listed = await collect(saver.list({ configurable }, all));
    expect(listed).toStrictEqual(await model.list({ configurable }, all));
  }

  toString(): string {
    return `list ${JSON.stringify(this.#listing)}`;
  }
}

class GetChannelValues implements Step {
  readonly #request: Parameters<CheckpointSaver["getChannelValues"]>[0];

  constructor(request: Parameters<CheckpointSaver["getChannelValues"]>[0]) {
    this.#request = request;
  }

  check(): boolean {
    return true;
  }

  async run(model: ReferenceSaver, saver: CheckpointSaver): Promise<void> {
    const [actual, expected] = [
      await saver.getChannelValues(this.#request),
      await model.getChannelValues(this.#request),
    ];
    // Compared as arrays, because the order of the threads matters.
    expect([...actual]).toStrictEqual([...expected]);
  }

  toString(): string {
    return `getChannelValues ${JSON.stringify(this.#request)}`;
  }
}

const options: fc.Arbitrary<ReadOptions> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<ReadOptions>(
      { values: false },
      { values: false, writes: true },
      { writes: false },
    ),
  },
  { weight: 1, arbitrary: fc.subarray([...CHANNELS, "loose", "unknown"]).map((channels) => ({ channels })) },
  { weight: 1, arbitrary: fc.subarray(CHANNELS).map((channels) => ({ channels, writes: false })) },
);

/** Leaves out undefined keys. */
function withoutUndefined(configurable: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(configurable).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

const listing = fc.record({
  configurable: fc
    .record({
      thread_id: weighted(["t1", 5], ["t2", 1], ["t3", 1], ["unknown", 1], [undefined, 5]),
      checkpoint_ns: weighted(["", 4], ["child", 2], ["node:1f0c|inner", 1], ["unknown", 1], [undefined, 8]),
      checkpoint_id: fc.oneof({ weight: 1, arbitrary: id }, { weight: 6, arbitrary: fc.constant(undefined) }),
    })
    .map(withoutUndefined),
  before: sometimes(id),
  limit: sometimes(fc.nat(4)),
  filter: sometimes(filter),
  options,
});

/** Reads of single checkpoints, and lists with any combination of options. */
export const readStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({ ...place, id: sometimes(id), options })
      .map((lookup): Step => new GetTuple(lookup)),
  },
  { weight: 3, arbitrary: listing.map((each): Step => new List(each)) },
  {
    weight: 1,
    arbitrary: fc
      .record({
        threadIds: fc.array(fc.constantFrom(...THREADS, "unknown"), { maxLength: 4 }),
        channel: fc.constantFrom(...CHANNELS, "loose"),
        checkpointNs: place.ns,
      })
      .map((request): Step => new GetChannelValues(request)),
  },
);
