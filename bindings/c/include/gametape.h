/* gametape: snapshot/delta sessions and captures, for C and C++.
 *
 * Ownership. A function whose name ends with _new, _create, _open or _from_json makes a handle: free it once, with the
 * function whose name ends with _free. To free NULL does nothing. Other pointers are borrowed: the comment of the
 * function says how long they are valid.
 *
 * Errors. A function that can fail takes a GametapeError, which may be NULL, and returns a GametapeStatus, or NULL in
 * place of a handle. After an error nothing has changed, unless the comment says so. A NULL where a handle is needed is
 * an error; a function without a GametapeError then returns 0, false or NULL.
 *
 * Threads. A handle may be passed from thread to thread. Several threads may read the same handle at once (const pointers); a
 * thread that changes it needs it for itself. There is no global state.
 */

#ifndef GAMETAPE_H
#define GAMETAPE_H

/* Made from bindings/c/src by cbindgen: GAMETAPE_BLESS=1 cargo test -p gametape-c header */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The result of a function: done, or whose fault it is that it was not.
 */
typedef enum GametapeStatus {
  /**
   * Done.
   */
  GAMETAPE_STATUS_OK = 0,
  /**
   * There is nothing more to read. This is no error.
   */
  GAMETAPE_STATUS_END = 1,
  /**
   * The packet builds on a state that the receiver lacks. Send the feedback, which asks for a full snapshot.
   */
  GAMETAPE_STATUS_NEED_FULL = 2,
  /**
   * The caller's fault: NULL, an unknown id, a value out of range, a tick that does not ascend.
   */
  GAMETAPE_STATUS_CALLER = 3,
  /**
   * The packet or the capture breaks a rule of its format, or is cut.
   */
  GAMETAPE_STATUS_DATA = 4,
  /**
   * A limit was exceeded: larger limits, on both sides, might help.
   */
  GAMETAPE_STATUS_LIMIT = 5,
  /**
   * A file could not be read or written.
   */
  GAMETAPE_STATUS_IO = 6,
  /**
   * A fault of this library. Free the handles that the call used; they may have changed.
   */
  GAMETAPE_STATUS_INTERNAL = 7,
} GametapeStatus;

/**
 * The codec of a field.
 */
typedef enum GametapeKind {
  /**
   * 0 or 1.
   */
  GAMETAPE_KIND_BOOL,
  /**
   * An unsigned number of up to 64 bits.
   */
  GAMETAPE_KIND_UINT,
  /**
   * A signed number of up to 64 bits.
   */
  GAMETAPE_KIND_SINT,
  /**
   * An unsigned number of up to 32 bits; small ones take fewer bytes.
   */
  GAMETAPE_KIND_VAR_UINT,
  /**
   * A signed number of up to 32 bits; those near 0 take fewer bytes.
   */
  GAMETAPE_KIND_VAR_SINT,
  /**
   * A real number in units of 1 / scale.
   */
  GAMETAPE_KIND_FIXED_POINT,
} GametapeKind;

/**
 * The kind of an event.
 */
typedef enum GametapeEventKind {
  /**
   * An entity has come into view, with all its components.
   */
  GAMETAPE_EVENT_KIND_SPAWNED,
  /**
   * An entity has left the view. If the next event is that it spawned, another entity has its id now.
   */
  GAMETAPE_EVENT_KIND_DESPAWNED,
  /**
   * An entity has a component that it did not have before.
   */
  GAMETAPE_EVENT_KIND_GAINED,
  /**
   * An entity no longer has a component.
   */
  GAMETAPE_EVENT_KIND_LOST,
  /**
   * Values of a component have changed.
   */
  GAMETAPE_EVENT_KIND_CHANGED,
} GametapeEventKind;

/**
 * The role of a packet in a capture.
 */
typedef enum GametapePacketRole {
  /**
   * A full snapshot of the stream.
   */
  GAMETAPE_PACKET_ROLE_KEYFRAME,
  /**
   * A delta of the stream.
   */
  GAMETAPE_PACKET_ROLE_DELTA,
  /**
   * A full snapshot that the recorder added. It is not part of the stream: do not give it to a receiver.
   */
  GAMETAPE_PACKET_ROLE_ADDED,
} GametapePacketRole;

/**
 * The states that deltas build on. Both sides need the same; no packet says it.
 */
typedef enum GametapeMode {
  /**
   * All that has arrived: a lost packet costs only its own content.
   */
  GAMETAPE_MODE_MERGED = 0,
  /**
   * The newest packet that was sent: any strict decoder can follow, as taps and recorders have to.
   */
  GAMETAPE_MODE_STRICT = 1,
} GametapeMode;

/**
 * As whom a receiver sees an entity, from the least rights to the most.
 */
typedef enum GametapeAudience {
  /**
   * Everybody, if nothing else is said.
   */
  GAMETAPE_AUDIENCE_ALL = 0,
  /**
   * The owner's team.
   */
  GAMETAPE_AUDIENCE_TEAM = 1,
  /**
   * The owner.
   */
  GAMETAPE_AUDIENCE_OWNER = 2,
} GametapeAudience;

/**
 * The values of a field between two ticks at which they are known.
 */
typedef enum GametapeBlend {
  /**
   * The value stays until the next one. This is the default for all but fixed-point numbers.
   */
  GAMETAPE_BLEND_HOLD = 0,
  /**
   * The value moves on a straight line. This is the default for fixed-point numbers.
   */
  GAMETAPE_BLEND_LINEAR = 1,
  /**
   * The value moves the shorter way round, for `GAMETAPE_KIND_UINT`. A whole turn has as many steps as the codec has
   * numbers.
   */
  GAMETAPE_BLEND_TURN = 2,
} GametapeBlend;

/**
 * A capture that is read. Packets, states and the state at a tick can be read independently of each other.
 */
typedef struct GametapeCapture GametapeCapture;

/**
 * Writes a capture, packet by packet or state by state. If the program is killed, all complete chunks of the file can
 * be read.
 */
typedef struct GametapeCaptureWriter GametapeCaptureWriter;

/**
 * The status and the text of the last call that was given this handle.
 *
 * One for each thread suffices, for all calls.
 */
typedef struct GametapeError GametapeError;

/**
 * Finds the entities near a place, for `gametape_sender_encode_near`. One grid serves the senders of all receivers.
 */
typedef struct GametapeGrid GametapeGrid;

/**
 * Shows what a receiver sees evenly: a little later than it arrives, with the values between the ticks of two updates.
 *
 * Time is yours: nanoseconds since any moment, the same for all calls.
 */
typedef struct GametapePlayout GametapePlayout;

/**
 * Receives the packets of one sender.
 */
typedef struct GametapeReceiver GametapeReceiver;

/**
 * The components of a game and the encoding of their fields. Both sides of a session need the same.
 *
 * Handles that are made from a schema keep what they need of it: the schema may be freed at once.
 */
typedef struct GametapeSchema GametapeSchema;

/**
 * Sends a world to one receiver.
 */
typedef struct GametapeSender GametapeSender;

/**
 * The state at a tick: entities, their components and values.
 *
 * Entities are in ascending order of their ids. Adding them in that order is fast.
 */
typedef struct GametapeSnapshot GametapeSnapshot;

/**
 * The state of the world and when each of its values last changed. One world serves the senders of all receivers.
 */
typedef struct GametapeWorld GametapeWorld;

/**
 * The value of a field.
 */
typedef struct GametapeValue {
  /**
   * The number on the wire. `GAMETAPE_KIND_FIXED_POINT` is in units of 1 / scale; cast `GAMETAPE_KIND_UINT` to
   * `uint64_t` if it has 64 bits.
   */
  int64_t integer;
  /**
   * The number: `integer` / scale for `GAMETAPE_KIND_FIXED_POINT`, `integer` itself for others.
   */
  double real;
  /**
   * The codec.
   */
  enum GametapeKind kind;
} GametapeValue;

/**
 * Limits of packets and states. Both sides need the same. A limit of 0 is the default one.
 */
typedef struct GametapeLimits {
  /**
   * Bytes in a packet with its header; 65,536.
   */
  size_t packet_bytes;
  /**
   * Sections in a packet; 16.
   */
  size_t sections;
  /**
   * Bytes in a section; 32,768.
   */
  size_t section_bytes;
  /**
   * Entities that a packet creates; 1,024.
   */
  size_t creates;
  /**
   * Entities that a packet updates; 2,048.
   */
  size_t updates;
  /**
   * Entities that a packet destroys; 1,024.
   */
  size_t destroys;
  /**
   * Entities in a state; 4,096.
   */
  size_t entities;
} GametapeLimits;

/**
 * Options of a sender. 0 is the default of each.
 */
typedef struct GametapeSenderOptions {
  /**
   * The largest size of a packet in bytes; 1,200, which no path of the Internet splits.
   */
  size_t budget;
  /**
   * The smallest budget, if it is to follow the loss of packets: `budget` is then the largest. By default it stays as it
   * is.
   */
  size_t min_budget;
  /**
   * The number of packets that can be under way without an acknowledgement, at least 2; 64.
   */
  size_t window;
  /**
   * The limits of the receiver.
   */
  struct GametapeLimits limits;
  /**
   * A `GametapeMode`.
   */
  uint32_t mode;
} GametapeSenderOptions;

/**
 * Returns how important an entity is to the receiver; with 0, the receiver may not see it. `context` is what
 * `gametape_sender_encode` or `gametape_sender_encode_near` was given.
 *
 * `distance_squared` is the square of the entity's distance from the centre of the area; 0 if it has no position, and in
 * `gametape_sender_encode`. As whom the receiver sees the entity is set in `audience`, a `GametapeAudience`. It is
 * `GAMETAPE_AUDIENCE_ALL` before.
 *
 * It may use all handles but the `GametapeError` of that call; it must not free the sender, the world or the grid. It
 * must return: no exception, no `longjmp`.
 */
typedef uint32_t (*GametapeRelevance)(void *context,
                                      uint32_t entity,
                                      double distance_squared,
                                      uint32_t *audience);

/**
 * A packet, and its content.
 */
typedef struct GametapeSent {
  /**
   * The packet. It is valid until this sender encodes again or is freed.
   */
  const uint8_t *packet;
  /**
   * Its size in bytes, at most the budget.
   */
  size_t size;
  /**
   * Its tick. It is the world's, or an earlier one if the packet only keeps the session alive: see `stalled`.
   */
  uint32_t tick;
  /**
   * The tick that it builds on; 0 for a full snapshot.
   */
  uint32_t baseline;
  /**
   * The number of entities that it creates or updates.
   */
  size_t named;
  /**
   * The number of entities whose changes have to wait.
   */
  size_t waiting;
  /**
   * The bytes of a packet with nothing but the first entity that fits into none, or the first such group; 0 if all fit.
   * It waits, and the others go on. If a group has more entities than a limit, it is their number.
   */
  size_t held_back_bytes;
  /**
   * The id of that entity; of a group the most urgent one.
   */
  uint32_t held_back;
  /**
   * The group that this entity is in; 0 if none.
   */
  uint32_t held_back_group;
  /**
   * The packet has no content, because too many are without an acknowledgement. It asks for one.
   */
  bool stalled;
} GametapeSent;

/**
 * The place of a receiver, and how far it sees. An entity that comes as near as `enter` is seen until it is farther away
 * than `leave`. All are in the units of the game.
 */
typedef struct GametapeArea {
  /**
   * The place; if positions have two fields, the third number is ignored.
   */
  double centre[3];
  /**
   * The distance at which entities come into view.
   */
  double enter;
  /**
   * The distance at which they leave it. A smaller one than `enter`, such as 0, counts as `enter`.
   */
  double leave;
} GametapeArea;

/**
 * The numbers of a sender since it was made.
 */
typedef struct GametapeTotals {
  /**
   * Packets that were made.
   */
  uint64_t packets;
  /**
   * Their bytes.
   */
  uint64_t bytes;
  /**
   * Entities that they create. One that is replaced is created and destroyed.
   */
  uint64_t created;
  /**
   * Entities that they update.
   */
  uint64_t updated;
  /**
   * Entities that they destroy.
   */
  uint64_t destroyed;
  /**
   * Packets that were lost, or came too late. In strict mode, one for each time that the sender has to go back.
   */
  uint64_t lost;
} GametapeTotals;

/**
 * The knowledge of a sender about its network, from acknowledgements alone.
 */
typedef struct GametapeEstimates {
  /**
   * The round trip in ticks, smoothed; -1 before the first acknowledgement.
   */
  double round_trip;
  /**
   * The shortest round trip so far, in ticks; -1 before the first acknowledgement.
   */
  double least_round_trip;
  /**
   * The share of packets that were lost, or came too late; smoothed, from 0 to 1.
   */
  double loss;
  /**
   * The size that the next packet may have, in bytes.
   */
  size_t budget;
} GametapeEstimates;

/**
 * Options of a receiver. 0 is the default of each.
 */
typedef struct GametapeReceiverOptions {
  /**
   * The sender's window, or more; 64.
   */
  size_t window;
  /**
   * The limits on packets and states.
   */
  struct GametapeLimits limits;
  /**
   * A `GametapeMode`.
   */
  uint32_t mode;
} GametapeReceiverOptions;

/**
 * The result of a packet. After an error all but the feedback is 0.
 */
typedef struct GametapeReceived {
  /**
   * The tick of the packet.
   */
  uint32_t tick;
  /**
   * The tick that it builds on; 0 for a full snapshot.
   */
  uint32_t baseline;
  /**
   * The message to send back.
   */
  uint8_t feedback[13];
  /**
   * Its size: 13, or 0 if there is none.
   */
  uint8_t feedback_size;
  /**
   * The packet is newer than all before; false also for one that was repeated or came late.
   */
  bool fresh;
} GametapeReceived;

/**
 * A change of a view.
 */
typedef struct GametapeEvent {
  /**
   * The fields that changed, for `GAMETAPE_EVENT_KIND_CHANGED`: bit i is for the i-th field of the component in the
   * schema. 0 for others.
   */
  uint64_t fields;
  /**
   * The id of the entity.
   */
  uint32_t entity;
  /**
   * The id of the component; 0 if the event is of the entity as a whole.
   */
  uint16_t component;
  /**
   * The kind.
   */
  enum GametapeEventKind kind;
} GametapeEvent;

/**
 * The ticks of an entity in the view.
 */
typedef struct GametapeConfirmed {
  /**
   * The tick at which it had all its values: that of the newest packet that named it. What has changed since then
   * has not arrived.
   */
  uint32_t at;
  /**
   * The first tick at which it was seen with these values. They may be older.
   */
  uint32_t changed_at;
} GametapeConfirmed;

/**
 * Options of a playout. 0 is the default of each.
 */
typedef struct GametapePlayoutOptions {
  /**
   * The smallest delay, in ticks; 1.
   */
  uint32_t min_delay;
  /**
   * The largest delay, in ticks; half a second, but 1 at least. If the playout is off by more, it jumps.
   */
  uint32_t max_delay;
} GametapePlayoutOptions;

/**
 * The knowledge of a playout about the network. All times are in ticks.
 */
typedef struct GametapeTiming {
  /**
   * The tick of the world at this moment.
   */
  double tick;
  /**
   * How far the playout is behind the packets that could have arrived.
   */
  double delay;
  /**
   * By how much packets are later than the fastest of late, for 19 in 20.
   */
  double jitter;
  /**
   * The time from an acknowledgement to the first packet that builds on it, with up to one tick in which the sender
   * waits; -1 before the first.
   */
  double round_trip;
  /**
   * The share of the last 64 packets that were lost or came late, from 0 to 1.
   */
  double loss;
} GametapeTiming;

/**
 * A packet of a capture.
 */
typedef struct GametapeCapturePacket {
  /**
   * The packet as it was recorded. It is valid until the next one is read or the capture is freed.
   */
  const uint8_t *packet;
  /**
   * Its size in bytes.
   */
  size_t size;
  /**
   * When it was sent or arrived, in nanoseconds since 1970; 0 if that is unknown.
   */
  uint64_t time_ns;
  /**
   * Its tick.
   */
  uint32_t tick;
  /**
   * Its role.
   */
  enum GametapePacketRole role;
} GametapeCapturePacket;

/**
 * Options of a capture. 0 is the default of each.
 */
typedef struct GametapeCaptureOptions {
  /**
   * The length of a tick in nanoseconds; 0 if it is unknown.
   */
  uint64_t tick_ns;
  /**
   * The size of a chunk in bytes, before compression: the most that is lost if the program is killed; 65,536.
   */
  uint64_t chunk_bytes;
  /**
   * The most ticks over which a state is built. To keep this, full snapshots are added. 0: none are.
   */
  uint32_t keyframe_every;
  /**
   * 1 if the states are the view of a receiver.
   */
  uint8_t view;
} GametapeCaptureOptions;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a handle for errors.
 */
struct GametapeError *gametape_error_new(void);

/**
 * Frees it.
 */
void gametape_error_free(struct GametapeError *error);

/**
 * Returns the status of the last call that was given this handle; `GAMETAPE_STATUS_OK` if there was none, and for
 * NULL.
 */
enum GametapeStatus gametape_error_status(const struct GametapeError *error);

/**
 * Returns the text of the last error: a sentence in UTF-8 that ends with NUL. It is empty if the last call had no
 * error, and for NULL. It is valid until the next call with this handle.
 */
const char *gametape_error_text(const struct GametapeError *error);

/**
 * Makes a schema from its JSON, `size` bytes in UTF-8. NULL if they are no valid schema.
 *
 * `{"components":[{"id":1,"fields":[{"id":1,"codec":{"FixedPoint":{"min_q":-51200,"max_q":51200,"scale":100}}}]}]}`
 * has one component with one field; other codecs are `"Bool"`, `{"UInt":{"bits":7}}`, `{"SInt":{"bits":7}}`,
 * `"VarUInt"` and `"VarSInt"`.
 */
struct GametapeSchema *gametape_schema_from_json(const char *json,
                                                 size_t size,
                                                 struct GametapeError *error);

/**
 * Frees it.
 */
void gametape_schema_free(struct GametapeSchema *schema);

/**
 * Returns the hash of ids, codecs and thresholds, which all packets of the schema contain. Compare it when a client
 * connects.
 */
uint64_t gametape_schema_hash(const struct GametapeSchema *schema);

/**
 * Makes a state without entities. NULL if the schema is.
 */
struct GametapeSnapshot *gametape_snapshot_new(const struct GametapeSchema *schema,
                                               uint32_t tick,
                                               struct GametapeError *error);

/**
 * Frees it. A state that was borrowed, such as a view, must not be freed.
 */
void gametape_snapshot_free(struct GametapeSnapshot *state);

/**
 * Makes `to` a copy of `from`, for keeping a view. Memory of `to` is used again.
 */
enum GametapeStatus gametape_snapshot_copy(struct GametapeSnapshot *to,
                                           const struct GametapeSnapshot *from,
                                           struct GametapeError *error);

/**
 * Removes all entities, and keeps the memory and the tick.
 */
enum GametapeStatus gametape_snapshot_clear(struct GametapeSnapshot *state, struct GametapeError *error);

/**
 * Sets the tick.
 */
enum GametapeStatus gametape_snapshot_set_tick(struct GametapeSnapshot *state,
                                               uint32_t tick,
                                               struct GametapeError *error);

/**
 * Adds an entity without components. To add one that is there already is an error. `gametape_snapshot_put` also adds
 * entities.
 */
enum GametapeStatus gametape_snapshot_insert(struct GametapeSnapshot *state,
                                             uint32_t entity,
                                             struct GametapeError *error);

/**
 * Removes an entity. Returns false if it is not there.
 */
bool gametape_snapshot_remove(struct GametapeSnapshot *state, uint32_t entity);

/**
 * Removes a component of an entity. Returns false if it is not there.
 */
bool gametape_snapshot_remove_component(struct GametapeSnapshot *state, uint32_t entity, uint16_t component);

/**
 * Sets all `count` fields of a component, in the order of the schema, as numbers of the wire: see `integer` of
 * `GametapeValue`. Adds entity and component if they are not there.
 */
enum GametapeStatus gametape_snapshot_put(struct GametapeSnapshot *state,
                                          uint32_t entity,
                                          uint16_t component,
                                          const int64_t *values,
                                          size_t count,
                                          struct GametapeError *error);

/**
 * Like `gametape_snapshot_put`, as real numbers. They are rounded to the nearest number that the field can have; one
 * out of its range is an error.
 */
enum GametapeStatus gametape_snapshot_put_real(struct GametapeSnapshot *state,
                                               uint32_t entity,
                                               uint16_t component,
                                               const double *values,
                                               size_t count,
                                               struct GametapeError *error);

/**
 * Sets one field of a component that is there.
 */
enum GametapeStatus gametape_snapshot_set(struct GametapeSnapshot *state,
                                          uint32_t entity,
                                          uint16_t component,
                                          uint16_t field,
                                          int64_t value,
                                          struct GametapeError *error);

/**
 * Like `gametape_snapshot_set`, as a real number.
 */
enum GametapeStatus gametape_snapshot_set_real(struct GametapeSnapshot *state,
                                               uint32_t entity,
                                               uint16_t component,
                                               uint16_t field,
                                               double value,
                                               struct GametapeError *error);

/**
 * Returns the tick.
 */
uint32_t gametape_snapshot_tick(const struct GametapeSnapshot *state);

/**
 * Returns the number of entities. If `ids` is not NULL, it is pointed to their ids in ascending order, which are valid
 * until the state changes.
 */
size_t gametape_snapshot_entities(const struct GametapeSnapshot *state,
                                  const uint32_t **ids);

/**
 * Returns whether the state has an entity.
 */
bool gametape_snapshot_has(const struct GametapeSnapshot *state, uint32_t entity);

/**
 * Returns whether the state has an entity with this component.
 */
bool gametape_snapshot_has_component(const struct GametapeSnapshot *state,
                                     uint32_t entity,
                                     uint16_t component);

/**
 * Writes the ids of an entity's components to `ids`, which has room for `capacity`, in the order of the schema, and
 * their number to `count`. There are never more than 64. With `ids` NULL, only the number is written.
 */
enum GametapeStatus gametape_snapshot_components(const struct GametapeSnapshot *state,
                                                 uint32_t entity,
                                                 uint16_t *ids,
                                                 size_t capacity,
                                                 size_t *count,
                                                 struct GametapeError *error);

/**
 * Writes the values of a component to `values`, which has room for `capacity`, in the order of the schema, and their
 * number to `count`, which may be NULL. With `values` NULL, only the number is written. It is an error if the entity
 * lacks the component.
 */
enum GametapeStatus gametape_snapshot_values(const struct GametapeSnapshot *state,
                                             uint32_t entity,
                                             uint16_t component,
                                             struct GametapeValue *values,
                                             size_t capacity,
                                             size_t *count,
                                             struct GametapeError *error);

/**
 * Returns whether both states have the same entities with the same values; their ticks may differ. False if one of
 * them is NULL.
 */
bool gametape_snapshot_same_entities(const struct GametapeSnapshot *a,
                                     const struct GametapeSnapshot *b);

/**
 * Makes an empty world. NULL if the schema is NULL.
 */
struct GametapeWorld *gametape_world_new(const struct GametapeSchema *schema, struct GametapeError *error);

/**
 * Frees it.
 */
void gametape_world_free(struct GametapeWorld *world);

/**
 * Hides a component, in all entities, from receivers that see them as less than `least`, a `GametapeAudience`. To be called
 * before the first state. A `GametapeRelevance` says as whom a receiver sees an entity.
 */
enum GametapeStatus gametape_world_restrict(struct GametapeWorld *world,
                                            uint16_t component,
                                            uint32_t least,
                                            struct GametapeError *error);

/**
 * Puts an entity into a group, in place of the one that it was in; 0 is none. It stays there until it ends; one that is
 * to come with the next state can be in a group already. All changes of a group travel together: a receiver sees its
 * entities as they were at one tick, or none of them.
 */
enum GametapeStatus gametape_world_group(struct GametapeWorld *world,
                                         uint32_t entity,
                                         uint32_t group,
                                         struct GametapeError *error);

/**
 * Takes the state of a new tick. Ticks ascend, from 1 on. An entity that the last state lacks is new, and one that is
 * absent now has ended.
 */
enum GametapeStatus gametape_world_update(struct GametapeWorld *world,
                                          const struct GametapeSnapshot *state,
                                          struct GametapeError *error);

/**
 * Ends an entity. If the next state has one with this id, it is another one. Returns false if there is no such entity.
 * To end an entity and leave its id unused, it is enough that the next state lacks it.
 */
bool gametape_world_despawn(struct GametapeWorld *world,
                            uint32_t entity);

/**
 * Returns the last state, with the values that thresholds have kept: what receivers come to see. It is valid until
 * the world changes. NULL for NULL.
 */
const struct GametapeSnapshot *gametape_world_state(const struct GametapeWorld *world);

/**
 * Makes a grid over the position in 2 or 3 fields of a component, given by their ids, with cells of a size in the units of
 * the game: about half of the distance that receivers see. A fixed-point number counts as its number divided by the
 * scale. NULL after an error.
 */
struct GametapeGrid *gametape_grid_new(const struct GametapeSchema *schema,
                                       uint16_t component,
                                       const uint16_t *fields,
                                       size_t count,
                                       double cell,
                                       struct GametapeError *error);

/**
 * Frees it.
 */
void gametape_grid_free(struct GametapeGrid *grid);

/**
 * Takes the places of all entities. Call it after each `gametape_world_update`, and after `gametape_world_despawn` if
 * packets are made before the next update.
 */
enum GametapeStatus gametape_grid_update(struct GametapeGrid *grid,
                                         const struct GametapeWorld *world,
                                         struct GametapeError *error);

/**
 * Makes a sender. Its options may be NULL: all are the default ones then. NULL after an error.
 */
struct GametapeSender *gametape_sender_new(const struct GametapeSchema *schema,
                                           const struct GametapeSenderOptions *options,
                                           struct GametapeError *error);

/**
 * Frees it, and its last packet.
 */
void gametape_sender_free(struct GametapeSender *sender);

/**
 * Changes the budget in bytes, for example when the network is congested.
 */
enum GametapeStatus gametape_sender_set_budget(struct GametapeSender *sender,
                                               size_t budget,
                                               struct GametapeError *error);

/**
 * Writes the packet for the world's tick. `relevance` is called once for each entity of the world, in ascending order;
 * it may be NULL: the receiver then sees all entities, and all have the same weight.
 *
 * After an error `sent` is not set, and no packet was made. Encoding twice in a tick is an error.
 */
enum GametapeStatus gametape_sender_encode(struct GametapeSender *sender,
                                           struct GametapeWorld *world,
                                           GametapeRelevance relevance,
                                           void *context,
                                           struct GametapeSent *sent,
                                           struct GametapeError *error);

/**
 * Like `gametape_sender_encode`, for the entities in an area: those that came as near as it says, and those without a
 * position. The receiver does not see the others. `relevance` is called once for each of these, and for those within the
 * larger distance that the receiver does not see yet, in ascending order. The grid must be updated after the world.
 */
enum GametapeStatus gametape_sender_encode_near(struct GametapeSender *sender,
                                                struct GametapeWorld *world,
                                                const struct GametapeGrid *grid,
                                                const struct GametapeArea *area,
                                                GametapeRelevance relevance,
                                                void *context,
                                                struct GametapeSent *sent,
                                                struct GametapeError *error);

/**
 * Takes a message of the receiver, in any order, twice if it came twice. Bytes that are no feedback change nothing, and
 * give `GAMETAPE_STATUS_DATA`.
 */
enum GametapeStatus gametape_sender_feedback(struct GametapeSender *sender,
                                             const uint8_t *feedback,
                                             size_t size,
                                             struct GametapeError *error);

/**
 * Begins again: the next packet is a full snapshot. It is needed only if the receiver asks for this by other means than
 * feedback.
 */
enum GametapeStatus gametape_sender_resync(struct GametapeSender *sender,
                                           struct GametapeError *error);

/**
 * Sets `totals` to the numbers so far.
 */
enum GametapeStatus gametape_sender_totals(const struct GametapeSender *sender,
                                           struct GametapeTotals *totals,
                                           struct GametapeError *error);

/**
 * Sets `estimates` to what acknowledgements say of the network.
 */
enum GametapeStatus gametape_sender_estimates(const struct GametapeSender *sender,
                                              struct GametapeEstimates *estimates,
                                              struct GametapeError *error);

/**
 * Returns the bytes of memory that a sender takes now, with its last packet. They depend on the number of entities and
 * on the options, and not on how long a receiver is silent: `gametape_sender_max_memory` has the bound.
 */
size_t gametape_sender_memory(const struct GametapeSender *sender);

/**
 * Returns the most bytes of memory that a sender with these options takes, for a receiver that sees, or has not yet
 * destroyed, so many entities at once. A server that must not exceed a number of bytes divides by this figure, and admits
 * as many receivers. Options may be NULL: all are the default ones then. If the budget was changed, the largest one counts.
 * 0 if the mode is not defined.
 */
size_t gametape_sender_max_memory(const struct GametapeSenderOptions *options,
                                  size_t entities);

/**
 * Makes a receiver. Its options may be NULL: all are the default ones then. NULL after an error.
 */
struct GametapeReceiver *gametape_receiver_new(const struct GametapeSchema *schema,
                                               const struct GametapeReceiverOptions *options,
                                               struct GametapeError *error);

/**
 * Frees it, its view and its events.
 */
void gametape_receiver_free(struct GametapeReceiver *receiver);

/**
 * Applies a packet, completely or not at all. In merged mode the view takes from one that comes late what is newer than
 * it shows.
 *
 * `received` is set also after an error: send its feedback if it has one. It has one after
 * `GAMETAPE_STATUS_NEED_FULL`, and none after other errors.
 */
enum GametapeStatus gametape_receiver_apply(struct GametapeReceiver *receiver,
                                            const uint8_t *packet,
                                            size_t size,
                                            struct GametapeReceived *received,
                                            struct GametapeError *error);

/**
 * Returns the view: the newest values that have arrived for each entity, with the tick of the newest packet. It is
 * valid until the receiver applies a packet, is reset or freed. NULL for NULL.
 */
const struct GametapeSnapshot *gametape_receiver_view(const struct GametapeReceiver *receiver);

/**
 * Returns the number of changes of the view by the last packet, which are ordered by entity; none after an error. If
 * `events` is not NULL, it is set to point to them. They are valid until the receiver applies a packet, is reset or freed.
 */
size_t gametape_receiver_events(const struct GametapeReceiver *receiver,
                                const struct GametapeEvent **events);

/**
 * Returns whether the view has an entity. `confirmed` may be NULL; if it is not, it is set to the entity's ticks, or to 0
 * if it is not in view. A client that predicts compares the entity with its prediction for the tick `at`.
 */
bool gametape_receiver_confirmed(const struct GametapeReceiver *receiver,
                                 uint32_t entity,
                                 struct GametapeConfirmed *confirmed);

/**
 * Removes all states, without events. The next delta gives `GAMETAPE_STATUS_NEED_FULL`.
 */
enum GametapeStatus gametape_receiver_reset(struct GametapeReceiver *receiver, struct GametapeError *error);

/**
 * Makes a playout for a world with so many ticks a second. Its options may be NULL: all are the default ones then. NULL
 * after an error.
 */
struct GametapePlayout *gametape_playout_new(const struct GametapeSchema *schema,
                                             uint32_t ticks_per_second,
                                             const struct GametapePlayoutOptions *options,
                                             struct GametapeError *error);

/**
 * Frees it, its view and its events.
 */
void gametape_playout_free(struct GametapePlayout *playout);

/**
 * Sets what a field does between two updates: `blend` is a `GametapeBlend`.
 */
enum GametapeStatus gametape_playout_blend(struct GametapePlayout *playout,
                                           uint16_t component,
                                           uint16_t field,
                                           uint32_t blend,
                                           struct GametapeError *error);

/**
 * Takes what the last packet brought to a receiver of the same schema. Call it once after each
 * `gametape_receiver_apply`, with the time at which the packet came. If that packet had an error, nothing changes.
 */
enum GametapeStatus gametape_playout_take(struct GametapePlayout *playout,
                                          const struct GametapeReceiver *receiver,
                                          uint64_t now_ns,
                                          struct GametapeError *error);

/**
 * Moves on to the moment `now_ns`, and returns the view to draw, whose tick is that of the newest packet that is shown
 * whole. It is valid until the playout changes or is freed. NULL after an error.
 */
const struct GametapeSnapshot *gametape_playout_advance(struct GametapePlayout *playout,
                                                        uint64_t now_ns,
                                                        struct GametapeError *error);

/**
 * Returns whether the playout has begun: it does when it is advanced after the first packet. `tick` may be NULL; if it is
 * not, it is set to the tick that the view shows, with its part, or to 0.
 */
bool gametape_playout_tick(const struct GametapePlayout *playout,
                           double *tick);

/**
 * Returns the number of changes that the last `gametape_playout_advance` showed: those that packets brought, when their
 * tick has come. Values in between are no events. If `events` is not NULL, it is set to point to them. They are valid until
 * the playout changes or is freed.
 */
size_t gametape_playout_events(const struct GametapePlayout *playout,
                               const struct GametapeEvent **events);

/**
 * Returns whether anything is known about the network: that is so from the first packet on. `timing` may be NULL; if
 * it is not, it is set to what is known at the moment `now_ns`, or to 0.
 */
bool gametape_playout_timing(const struct GametapePlayout *playout,
                             uint64_t now_ns,
                             struct GametapeTiming *timing);

/**
 * Opens a capture. `path` is in UTF-8. NULL after an error. One that was cut off can be opened, and read up to there.
 */
struct GametapeCapture *gametape_capture_open(const char *path,
                                              struct GametapeError *error);

/**
 * Frees it.
 */
void gametape_capture_free(struct GametapeCapture *capture);

/**
 * Returns the schema of its packets, which is valid until the capture is freed: do not free it. NULL for NULL.
 */
const struct GametapeSchema *gametape_capture_schema(const struct GametapeCapture *capture);

/**
 * Reads the next packet. `GAMETAPE_STATUS_END` after the last: then `packet` is not set.
 */
enum GametapeStatus gametape_capture_next_packet(struct GametapeCapture *capture,
                                                 struct GametapeCapturePacket *packet,
                                                 struct GametapeError *error);

/**
 * Reads the next packet and applies it. `state` is pointed to its state, which is valid until the next one is read or
 * the capture is freed; to NULL after `GAMETAPE_STATUS_END` and after an error. The call after an error in a packet goes
 * on with the packet after it.
 *
 * The first call reads the whole capture once, to know which states later packets build on.
 */
enum GametapeStatus gametape_capture_next_state(struct GametapeCapture *capture,
                                                const struct GametapeSnapshot **state,
                                                struct GametapeError *error);

/**
 * Makes `state` the state at the latest recorded tick that is not after `tick`. It reads only the packets that lead
 * there.
 */
enum GametapeStatus gametape_capture_state_at(const struct GametapeCapture *capture,
                                              uint32_t tick,
                                              struct GametapeSnapshot *state,
                                              struct GametapeError *error);

/**
 * Begins a capture in a new file. `path` is in UTF-8; a file that exists already is an error. `options` may be NULL: all
 * are the default ones then. NULL after an error.
 */
struct GametapeCaptureWriter *gametape_capture_writer_create(const char *path,
                                                             const struct GametapeSchema *schema,
                                                             const struct GametapeCaptureOptions *options,
                                                             struct GametapeError *error);

/**
 * Frees it. If it is not finished, this finishes it, and errors are lost.
 */
void gametape_capture_writer_free(struct GametapeCaptureWriter *writer);

/**
 * Records a packet, byte for byte. `time_ns` is when it was sent or arrived, in nanoseconds since 1970; 0 if that is
 * unknown. Ticks ascend. Record either packets or states.
 */
enum GametapeStatus gametape_capture_writer_push(struct GametapeCaptureWriter *writer,
                                                 const uint8_t *packet,
                                                 size_t size,
                                                 uint64_t time_ns,
                                                 struct GametapeError *error);

/**
 * Records a state, such as a view. Ticks ascend.
 */
enum GametapeStatus gametape_capture_writer_push_state(struct GametapeCaptureWriter *writer,
                                                       const struct GametapeSnapshot *state,
                                                       uint64_t time_ns,
                                                       struct GametapeError *error);

/**
 * Writes what is recorded so far to the file.
 */
enum GametapeStatus gametape_capture_writer_flush(struct GametapeCaptureWriter *writer,
                                                  struct GametapeError *error);

/**
 * Writes the index at the end, and waits until the file is on the disk. Nothing can be recorded after it, also not
 * after an error. The handle has to be freed still.
 */
enum GametapeStatus gametape_capture_writer_finish(struct GametapeCaptureWriter *writer,
                                                   struct GametapeError *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GAMETAPE_H */
