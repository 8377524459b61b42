export { recordCheckpoints } from "./record-checkpoints.js";
export type { RecordableGraph } from "./recorded-graph.js";
export type { RecordCheckpointsOptions, RecordedGraph, ResumeOptions } from "./recorded-graph.js";
