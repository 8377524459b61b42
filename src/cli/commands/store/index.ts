import type { CommandDefinition } from "../../command-definition.js";
import { storeDeleteCommand, storePutCommand, storeSweepCommand } from "./write-commands.js";
import { storeExportCommand, storeImportCommand } from "./backup-commands.js";
import { storeGetCommand, storeNamespacesCommand, storeSearchCommand } from "./read-commands.js";
import { storeReembedCommand } from "./store-reembed-command.js";

export const storeCommand: CommandDefinition = {
  name: "store",
  group: "Long-term memory",
  summary: "look at the items of a PostgresStore, change them, back them up, and clean up",
  examples: ["store namespaces", "store search users.7", "store get users.7 profile"],
  subcommands: [
    storeNamespacesCommand,
    storeSearchCommand,
    storeGetCommand,
    storePutCommand,
    storeDeleteCommand,
    storeExportCommand,
    storeImportCommand,
    storeReembedCommand,
    storeSweepCommand,
  ],
};
