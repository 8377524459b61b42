import { expect } from "@jest/globals";
import { PermissionError, type PostgresSaver } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  nextId,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import type { Tenancy } from "./tenancy.js";

const TENANTS = ["acme", "bolt", "core", "dash"];
const WORKERS = 4;
const THREADS = 3;

/**
 * Runs many workers of several tenants concurrently over the same few connections. Each worker checks that
 * every result belongs to its tenant.
 */
export async function mixTenants(tenancy: Tenancy, steps: number): Promise<void> {
  const workers = TENANTS.flatMap((tenant) => {
    const shared = tenancy.saver(tenant);
    return Array.from({ length: WORKERS }, (_, nth) =>
      work(nth % 2 === 0 ? shared : tenancy.saver(tenant), tenant, nth, steps),
    );
  });
  await Promise.all(workers);
  for (const tenant of TENANTS) {
    const tuples = await collect(tenancy.saver(tenant).list({}));
    expect(new Set(tuples.map(({ checkpoint }) => checkpoint.channel_values.owner))).toEqual(
      new Set([tenant]),
    );
  }
  expect(await collect(tenancy.saver().list({}))).toEqual([]);
}

async function work(saver: PostgresSaver, tenant: string, worker: number, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const number = (worker + step) % THREADS;
    const name = `${tenant}:${number}`;
    const other = threadConfig(
      `${TENANTS[(TENANTS.indexOf(tenant) + 1 + (step % 3)) % TENANTS.length]}:${number}`,
    );
    switch ((step * 7 + worker * 3) % 8) {
      case 0:
        await refused(putValues(saver, other, { owner: "forged" }));
        break;
      case 1:
        expect(await saver.getTuple(other)).toBeUndefined();
        break;
      case 2:
        await refused(batchAcross(saver, tenant, name, other));
        break;
      case 3:
        await saver.deleteThread(String(other.configurable?.thread_id));
        break;
      case 4:
        for (const { config, checkpoint } of await collect(saver.list({}, { limit: 20 }))) {
          expect(checkpoint.channel_values.owner).toBe(tenant);
          expect(config.configurable?.thread_id).toMatch(`${tenant}:`);
        }
        break;
      case 5:
        await batchAcross(saver, tenant, name, threadConfig(`${tenant}:batched`));
        break;
      default:
        await superStep(saver, tenant, name);
    }
  }
}

async function superStep(saver: PostgresSaver, owner: string, thread_id: string): Promise<void> {
  const values = { owner, log: [owner, nextId()] };
  const { config } = await putValues(saver, threadConfig(thread_id), values);
  await saver.putWrites(config, [["log", owner]], "task");
  const tuple = await saver.getTuple(config);
  expect(tuple?.checkpoint.channel_values).toEqual(values);
  expect(tuple?.pendingWrites).toEqual([["task", "log", owner]]);
}

/** A transaction of several statements, since it deletes a thread. */
async function batchAcross(
  saver: PostgresSaver,
  owner: string,
  thread_id: string,
  other: ReturnType<typeof threadConfig>,
): Promise<void> {
  const checkpoint = checkpointOf(saver, { owner });
  await saver.batch(async (batch) => {
    await batch.deleteThread(`${owner}:unused`);
    await batch.put(threadConfig(thread_id), checkpoint, metadataOf(), allVersions(checkpoint));
    const second = { ...checkpoint, id: nextId() };
    await batch.put(other, second, metadataOf(), allVersions(second));
  });
}

async function refused(call: Promise<unknown>): Promise<void> {
  await expect(call).rejects.toBeInstanceOf(PermissionError);
}
