import type { CommandDefinition } from "../../command-definition.js";
import { storeDelete } from "./store-delete-command.js";
import { storeExport } from "./store-export-command.js";
import { storeGet } from "./store-get-command.js";
import { storeImport } from "./store-import-command.js";
import { storeNamespaces } from "./store-namespaces-command.js";
import { storePut } from "./store-put-command.js";
import { storeReembed } from "./store-reembed-command.js";
import { storeSearch } from "./store-search-command.js";
import { storeSweep } from "./store-sweep-command.js";

export const store: CommandDefinition = {
  name: "store",
  group: "Long-term memory",
  summary: "look at the items of a PostgresStore, change them, back them up, and clean up",
  examples: ["store namespaces", "store search users.7", "store get users.7 profile"],
  subcommands: [
    storeNamespaces,
    storeSearch,
    storeGet,
    storePut,
    storeDelete,
    storeExport,
    storeImport,
    storeReembed,
    storeSweep,
  ],
};
