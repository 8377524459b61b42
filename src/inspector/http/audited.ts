import { randomUUID } from "node:crypto";
import type { InspectorContext } from "../inspector-context.js";
import type { InspectorAudit } from "../inspector-options.js";

/** What is done, and by whom. */
export type AuditedAction = Pick<InspectorAudit, "action" | "operation" | "details" | "user">;

/**
 * Does something, and tells the application of it before and afterwards. What the application refuses to hear of is not done; that it did
 * not hear of the end is logged, since it can't be undone.
 */
export async function audited<Result>(
  { audit, call }: InspectorContext,
  action: AuditedAction,
  work: () => Promise<Result>,
): Promise<Result> {
  if (audit === undefined) return work();
  const event = { id: randomUUID(), ...action };
  const end = async (outcome: Pick<InspectorAudit, "phase" | "error">): Promise<void> => {
    try {
      await audit({ ...event, at: new Date(), ...outcome });
    } catch (error) {
      call.telemetry?.failedBeside("audit of the inspector failed", error);
    }
  };
  await audit({ ...event, at: new Date(), phase: "begins" });
  try {
    const result = await work();
    await end({ phase: "done" });
    return result;
  } catch (error) {
    await end({ phase: "failed", error });
    throw error;
  }
}
