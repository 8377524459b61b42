/**
 * How the channels of a graph put two values together, by the names of the channels: the reducers that its state is
 * annotated with. Each takes what the channel holds and what is written to it, and returns what it holds then. A channel
 * begins with what the default of the parameter says, since there is no `default` as annotations have one.
 *
 * @example
 * ```ts
 * const reducers: ChannelReducers = {
 *   messages: (held: BaseMessage[] = [], update: Messages) => messagesStateReducer(held, update),
 *   total: (held: number = 0, update: number) => held + update,
 * };
 * ```
 */
export type ChannelReducers = Readonly<Record<string, ChannelReducer>>;

/**
 * How a channel puts what is written to it together with what it holds; that is `undefined` while it holds nothing. The
 * reducer of a `DeltaChannel`, which takes many updates at once, becomes one by
 * `(current, update) => reducer(current ?? [], [update])`.
 */
export type ChannelReducer = Reducer["reduce"];

// The type of a method, so that a reducer may name the types of its own channel: `unknown` stands for each of these.
interface Reducer {
  reduce(current: unknown, update: unknown): unknown;
}
