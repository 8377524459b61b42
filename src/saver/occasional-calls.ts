// The calls of a saver that most runs never make. They are loaded by the first of them.
export { channelValues } from "./channel-values.js";
export { deltaChannelHistory, readEachOnce } from "./delta-channel-history.js";
export { listTuples } from "./list-tuples.js";
export { parseChannelValuesRequest } from "./boundary/parse-channel-values.js";
export { parseDeltaRequest } from "./boundary/parse-delta.js";
export { parseListRequest } from "./boundary/parse-list.js";
