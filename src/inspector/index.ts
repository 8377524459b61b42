export { createInspector, type Inspector } from "./create-inspector.js";
export type { Authorize, InspectorAccess, InspectorOptions } from "./inspector-options.js";
export { nodeListener } from "./http/node-listener.js";
