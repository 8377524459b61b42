/**
 * The reducers of a graph's channels, by channel, as its state annotation has them. A reducer takes the value of the channel
 * and an update, and returns the new value. The first value of a channel is the default of the reducer's parameter.
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
 * Combines the value of a channel, `undefined` for an empty channel, with an update. To use the reducer of a `DeltaChannel`,
 * which takes many updates at once, write `(current, update) => reducer(current ?? [], [update])`.
 */
export type ChannelReducer = Reducer["reduce"];

// A method type is bivariant, so a reducer may declare the types of its own channel in place of `unknown`.
interface Reducer {
  reduce(current: unknown, update: unknown): unknown;
}
