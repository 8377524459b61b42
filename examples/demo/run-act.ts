import { spawn } from "node:child_process";
import { once } from "node:events";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { ActOrders } from "./act-orders.js";

// Compiled like this file.
const PROGRAM = fileURLToPath(new URL(`act${extname(import.meta.url)}`, import.meta.url));
const TIMEOUT_MS = 60_000;

/** How the process of an act ended. */
export interface ActEnd {
  readonly pid: number;
  readonly code: number | null;
  readonly signal: string | null;
}

const Exit = z.tuple([z.number().nullable(), z.string().nullable()]);

/** Runs an act in its own process, and waits for its end. */
export async function runAct(orders: ActOrders): Promise<ActEnd> {
  const child = spawn(process.execPath, [...process.execArgv, PROGRAM, JSON.stringify(orders)], {
    stdio: ["ignore", "inherit", "inherit"],
    timeout: TIMEOUT_MS,
    killSignal: "SIGTERM",
  });
  const [code, signal] = Exit.parse(await once(child, "exit"));
  return { pid: child.pid ?? 0, code, signal };
}
