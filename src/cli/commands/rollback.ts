import { Argument } from "commander";
import { z } from "zod";
import { namespaceOption, threadArgument, threadFlags } from "../options/shared-options.js";
import { CHECKPOINT_HELP, resolveCheckpoint } from "../checkpoints/resolve-checkpoint.js";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { printable } from "../output/printable.js";
import { checkpointIdOf } from "./fork.js";

const flagsOfRollback = threadFlags.extend({ checkpoint: z.string() });

/** `rollback`. */
export const rollback: CommandDefinition = {
  name: "rollback",
  group: "Change",
  summary: "take a thread back to one of its checkpoints; what came after it stays, on a branch",
  args: () => [threadArgument(), new Argument("<checkpoint>", CHECKPOINT_HELP)],
  options: () => [namespaceOption()],
  examples: ["rollback 42 head~1", "rollback 42 head~1 --json"],
  run: async (context, flags) => {
    const { signal } = context;
    const { thread, namespace, checkpoint } = flagsOfRollback.parse(flags);
    const { followingSaver } = await import("../serializers/open-matching-saver.js");
    const target = await resolveCheckpoint(context, { thread, namespace, checkpoint });
    const head = await resolveCheckpoint(context, { thread, namespace });
    const forker = await followingSaver(context, { thread, namespace, ids: [target.id, head.id] });
    const config = await forker.rollback(thread, target.id, { checkpointNs: namespace, signal });
    const id = checkpointIdOf(config);
    return {
      exitCode: EXIT_CODE.ok,
      text: `thread ${printable(thread)} is back at ${printable(target.id)}, as checkpoint ${printable(id)}`,
      json: { thread, namespace, target: target.id, checkpoint: id },
    };
  },
};
