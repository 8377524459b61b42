import { type BadInput, invalid, type NamedError, throwing, throwingProxy } from "./bad-input.js";

type Row = readonly [what: string, options: unknown, error: NamedError];

const SIGNALS: readonly Row[] = [
  ["a controller as signal", { signal: new AbortController() }, invalid("options.signal")],
  ["text as signal", { signal: "abort" }, invalid("options.signal")],
  ["a boolean as signal", { signal: false }, invalid("options.signal")],
  ["an object like a signal", { signal: { aborted: true } }, invalid("options.signal")],
  [
    "an object of a signal's prototype",
    { signal: Object.create(AbortSignal.prototype) as unknown },
    invalid("options.signal"),
  ],
  ["a Proxy that throws as signal", { signal: throwingProxy() }, invalid("options.signal")],
  ["a getter of the signal that throws", throwing("signal"), invalid("options")],
];

/** The options of a call. Those of a read have more properties. */
const OPTIONS: readonly Row[] = [...SIGNALS, ["text as options of the call", "now", invalid("options")]];

const UNKNOWN_OPTION: object = { sginal: undefined };

/** LangGraph itself never makes these calls, so an unknown option is a mistake. */
const STRICT_OPTIONS: readonly Row[] = [
  ...OPTIONS,
  ["an unknown option", UNKNOWN_OPTION, invalid("options.sginal")],
];

const THREAD = { configurable: { thread_id: "standing" } };

/** Each call that takes a signal, with an invalid one. */
export const BAD_SIGNALS: readonly BadInput[] = [
  ...SIGNALS.flatMap(([what, options, error]): BadInput[] => [
    {
      what: `getTuple with ${what}`,
      call: ({ saver }) => saver.getTuple(THREAD, options as object),
      error,
    },
    {
      what: `list with ${what}`,
      call: ({ saver }) => saver.list(THREAD, options as object).next(),
      error,
    },
  ]),
  ...OPTIONS.flatMap(([what, options, error]): BadInput[] => [
    {
      what: `put with ${what}`,
      call: ({ saver, config, checkpoint }) =>
        saver.put(config, checkpoint, { source: "loop", step: 0, parents: {} }, {}, options as object),
      error,
    },
    {
      what: `putWrites with ${what}`,
      call: ({ saver, config }) => saver.putWrites(config, [["a", 1]], "task", "", options as object),
      error,
    },
    {
      what: `deleteThread with ${what}`,
      call: ({ saver }) => saver.deleteThread("standing", options as object),
      error,
    },
  ]),
  ...STRICT_OPTIONS.flatMap(([what, options, error]): BadInput[] => [
    {
      what: `batch with ${what}`,
      call: ({ saver }) => saver.batch((batch) => batch.deleteThread("standing"), options as object),
      error,
    },
    {
      what: `getChannelValues with ${what}`,
      call: ({ saver }) =>
        saver.getChannelValues({ threadIds: ["standing"], channel: "a" }, options as object),
      error,
    },
  ]),
  {
    what: "diff with an unknown option",
    call: ({ saver, config }) => saver.diff(config, config, UNKNOWN_OPTION),
    error: invalid("options.sginal"),
  },
  {
    what: "rebuildBlobs with an unknown option",
    call: ({ saver, config }) => saver.rebuildBlobs(config, {}, UNKNOWN_OPTION),
    error: invalid("options.sginal"),
  },
  {
    what: "writesOf with an unknown option",
    call: ({ saver, config }) => saver.writesOf(config, UNKNOWN_OPTION),
    error: invalid("options.sginal"),
  },
  ...SIGNALS.slice(0, -1).map(([what, options, error]): BadInput => ({
    what: `getDeltaChannelHistory with ${what}`,
    call: ({ saver }) =>
      saver.getDeltaChannelHistory({ config: THREAD, channels: ["a"], ...(options as object) }),
    error,
  })),
];
