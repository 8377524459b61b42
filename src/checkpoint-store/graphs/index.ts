export { recordCheckpoints } from "./record-checkpoints.js";
export type { NodeOf, RecordableGraph, StateOf, UpdateOf } from "./recordable-graph.js";
export type { RecordCheckpointsOptions, RecordedGraph, ResumeOptions } from "./recorded-graph.js";
