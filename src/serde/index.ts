export { JsonSerializer } from "./json-serializer.js";
export { MsgpackSerializer } from "./msgpack-serializer.js";
export { PYTHON_ORIGIN, type PythonOrigin } from "./python-origin.js";
