import { expect } from "@jest/globals";
import fc from "fast-check";
import type { CheckpointBatch } from "../../src/saver/batch.js";
import type { CheckpointSaver } from "../../src/checkpoint-saver.js";
import type { Step } from "./histories.js";
import type { ReferenceSaver } from "./reference-saver.js";
import { write } from "./any-write.js";
import type { Write } from "./write-calls.js";

class WriteStep implements Step {
  readonly #write: Write;

  constructor(step: Write) {
    this.#write = step;
  }

  check(): boolean {
    return true;
  }

  async run(model: ReferenceSaver, saver: CheckpointSaver): Promise<void> {
    const call = await this.#write.resolve(model, (current) => saver.getNextVersion(current));
    const expected = await call(model);
    expect(await call(saver)).toEqual(expected);
  }

  toString(): string {
    return String(this.#write);
  }
}

/** The model makes one by one what the saver is handed as one batch. */
class BatchStep implements Step {
  readonly #writes: readonly Write[];

  constructor(writes: readonly Write[]) {
    this.#writes = writes;
  }

  check(): boolean {
    return true;
  }

  async run(model: ReferenceSaver, saver: CheckpointSaver): Promise<void> {
    const calls = async (batch: CheckpointBatch): Promise<void> => {
      for (const each of this.#writes) {
        const call = await each.resolve(model, (current) => saver.getNextVersion(current));
        const expected = await call(model);
        expect(await call(batch)).toEqual(expected);
      }
    };
    await model.batch(() => saver.batch(calls));
  }

  toString(): string {
    return `batch of {${this.#writes.join("; ")}}`;
  }
}

export const writeStep: fc.Arbitrary<Step> = write.map((each) => new WriteStep(each));

export const batchStep: fc.Arbitrary<Step> = fc
  .array(write, { minLength: 1, maxLength: 6 })
  .map((writes) => new BatchStep(writes));
