export { createInspector, type Inspector } from "./create-inspector.js";
export type { InspectorAction } from "./api/actions.js";
export type {
  Authorize,
  InspectorAccess,
  InspectorAudit,
  InspectorDecision,
  InspectorOptions,
  InspectorUser,
} from "./inspector-options.js";
export { nodeListener } from "./http/node-listener.js";
export type {
  GraphNames,
  GraphOf,
  GraphOrFactory,
  InspectedAgent,
  InspectedGraph,
  InspectedThread,
} from "./runs/inspected-graph.js";
