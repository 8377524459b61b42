import { RowSecurityCheck } from "../../db/row-security.js";
import { NamespaceRules } from "../../store/namespace-rules.js";
import type { StoreCall } from "../../store/store-call.js";
import type { InspectorContext } from "../inspector-context.js";

/** What the calls of a store on the database, in the schema and for the tenant of the saver start from. Its values are plain JSON. */
export function storeCallBeside({ call }: InspectorContext): StoreCall {
  const { database, schema, telemetry, policy } = call;
  const { retry, statementTimeoutMs, tenantId } = policy;
  const tables = ["store"];
  const rowSecurity = tenantId === undefined ? undefined : new RowSecurityCheck(tables);
  return {
    ...{ database, schema, optionalTables: tables },
    ...(telemetry !== undefined && { telemetry }),
    policy: { retry, statementTimeoutMs, tenantId, rowSecurity },
    settings: {
      ...{ tables, root: [], rules: new NamespaceRules([]), defaultTtl: null, refreshesOnRead: false },
      ...{ textSearchLanguage: "english", sealing: undefined, channel: undefined, vectors: undefined },
    },
  };
}
