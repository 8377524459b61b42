import type { CommandDefinition } from "../../command-definition.js";
import { reportInterrupt } from "../../errors/report-interrupt.js";
import { EXIT_CODE } from "../../exit-code.js";
import { counted } from "../../output/format-numbers.js";

export const storeSweep: CommandDefinition = {
  name: "sweep",
  summary: "delete the items that have expired, which no read sees any more",
  examples: ["store sweep", "store sweep --json"],
  run: async ({ store, signal }) => {
    const deleted = await reportInterrupt(
      signal,
      () => store.sweep({ signal }),
      () => "run the command again to continue",
    );
    return {
      exitCode: EXIT_CODE.ok,
      text: `deleted ${counted(deleted, "expired item")}`,
      json: { deleted },
    };
  },
};
