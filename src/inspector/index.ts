export { createInspector, type Inspector } from "./create-inspector.js";
export type {
  Authorize,
  InspectorAccess,
  InspectorAction,
  InspectorAudit,
  InspectorDecision,
  InspectorOptions,
  InspectorUser,
} from "./inspector-options.js";
export { nodeListener } from "./http/node-listener.js";
export type { GraphOrFactory, InspectedGraph } from "./runs/inspected-graph.js";
