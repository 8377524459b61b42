import type { CommandDefinition } from "../../command-definition.js";
import { storeDelete } from "./delete.js";
import { storeExport } from "./export.js";
import { storeGet } from "./get.js";
import { storeImport } from "./import.js";
import { storeNamespaces } from "./namespaces.js";
import { storePut } from "./put.js";
import { storeReembed } from "./reembed.js";
import { storeSearch } from "./search.js";
import { storeSweep } from "./sweep.js";

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
