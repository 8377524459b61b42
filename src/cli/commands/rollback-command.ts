import { Argument } from "commander";
import { z } from "zod";
import {
  checkpointIdOf,
  idsOf,
  resolveCheckpoint,
  resolveReadable,
} from "../checkpoints/resolve-checkpoint.js";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { CHECKPOINT_HELP, namespaceOption, threadArgument, threadFlags } from "../options/shared-options.js";
import { printable } from "../output/printable.js";

const rollbackFlags = threadFlags.extend({ checkpoint: z.string() });

export const rollback: CommandDefinition = {
  name: "rollback",
  group: "Change",
  summary: "roll a thread back to one of its checkpoints; later checkpoints stay, on a branch",
  args: () => [threadArgument(), new Argument("<checkpoint>", `the checkpoint: ${CHECKPOINT_HELP}`)],
  options: () => [namespaceOption()],
  examples: ["rollback 42 head~1", "rollback 42 head~1 --json"],
  run: async (context, flags) => {
    const { signal } = context;
    const { thread, namespace, checkpoint } = rollbackFlags.parse(flags);
    const { openMatchingSaver } = await import("../serializers/open-matching-saver.js");
    const target = await resolveCheckpoint(context, { thread, namespace, checkpoint });
    // Damage to the newest checkpoint is what a rollback is for.
    const head = await resolveReadable(context, { thread, namespace });
    const key = { threadId: thread, checkpointNs: namespace };
    const saver = await openMatchingSaver(context, key, idsOf(target, head));
    const config = await saver.rollback(thread, target.id, { checkpointNs: namespace, signal });
    const id = checkpointIdOf(config) ?? "";
    return {
      exitCode: EXIT_CODE.ok,
      text: `rolled thread ${printable(thread)} back to ${printable(target.id)}: created checkpoint ${printable(id)}`,
      json: { thread, namespace, target: target.id, checkpoint: id },
    };
  },
};
