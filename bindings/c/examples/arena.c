/* Ships fly; two clients see them over a network that loses one packet in three; what one of them sees becomes a
 * capture. All in one process: a real game sends the packets and the feedback over UDP. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gametape.h"

enum { SHIPS = 40, CLIENTS = 2, MOVING = 100, TICKS = 120, RATE = 30, TICK_NS = 1000000000 / RATE };

/* Ids of the schema below. */
enum { SHIP = 1, SHIELD = 2, X = 1, Y = 2, HULL = 3 };

static const char SCHEMA[] =
    "{\"components\":["
    "{\"id\":1,\"name\":\"ship\",\"fields\":["
    "{\"id\":1,\"name\":\"x\",\"codec\":{\"FixedPoint\":{\"min_q\":-51200,\"max_q\":51200,\"scale\":100}}},"
    "{\"id\":2,\"name\":\"y\",\"codec\":{\"FixedPoint\":{\"min_q\":-51200,\"max_q\":51200,\"scale\":100}}},"
    "{\"id\":3,\"name\":\"hull\",\"codec\":{\"UInt\":{\"bits\":7}}}]},"
    "{\"id\":2,\"name\":\"shield\",\"fields\":[{\"id\":1,\"name\":\"left\",\"codec\":\"VarUInt\"}]}]}";

typedef struct Client {
  GametapeSender *sender;     /* on the server */
  GametapeReceiver *receiver; /* on the client */
  GametapePlayout *playout;   /* what it draws */
  unsigned lost, applied, asked, came, left;
} Client;

static GametapeError *error;

static void check(GametapeStatus status, const char *what) {
  if (status != GAMETAPE_STATUS_OK) {
    fprintf(stderr, "%s: status %d, %s\n", what, (int)status, gametape_error_text(error));
    exit(1);
  }
}

static void made(const void *handle, const char *what) {
  if (handle == NULL) {
    check(gametape_error_status(error), what);
  }
}

/* Where the ship is: in the middle of the game the last ten are away, and then ten new ones come. */
static void fill(GametapeSnapshot *state, uint32_t tick) {
  uint32_t at = tick < MOVING ? tick : MOVING;
  check(gametape_snapshot_clear(state, error), "clear");
  check(gametape_snapshot_set_tick(state, tick, error), "set_tick");
  for (uint32_t ship = 1; ship <= SHIPS; ship++) {
    uint32_t id = ship;
    if (ship > SHIPS - 10 && at >= 40) {
      if (at < 70) {
        continue;
      }
      id += 1000;
    }
    double position[] = {ship * 10.0 - 200.0 + at * 0.25, at * 1.5 - ship, 100.0};
    check(gametape_snapshot_put_real(state, id, SHIP, position, 3, error), "put_real");
    check(gametape_snapshot_set(state, id, SHIP, HULL, 100 - at / 2, error), "set");
    if ((at / 20 + ship) % 3 == 0) {
      int64_t left = 20 - at % 20;
      check(gametape_snapshot_put(state, id, SHIELD, &left, 1, error), "put");
    }
  }
}

/* The second client is in the middle and sees far. It is told of ships near it four times as often. */
static const GametapeArea MIDDLE = {.enter = 400.0, .leave = 420.0};

static uint32_t near_the_middle(void *context, uint32_t entity, double distance_squared, uint32_t *audience) {
  (void)context;
  (void)entity;
  (void)audience; /* it has no rights that others lack */
  return distance_squared < 50.0 * 50.0 ? 4 : 1;
}

/* Counts the ships that came into view with the last packet, and those that left it. */
static void count(Client *client) {
  const GametapeEvent *events;
  size_t many = gametape_receiver_events(client->receiver, &events);
  for (size_t i = 0; i < many; i++) {
    client->came += events[i].kind == GAMETAPE_EVENT_KIND_SPAWNED;
    client->left += events[i].kind == GAMETAPE_EVENT_KIND_DESPAWNED;
  }
}

/* Sends a tick to a client, and takes its answer back. Returns whether it sees something new. */
static bool exchange(Client *client, GametapeWorld *world, const GametapeGrid *grid, bool is_lost, uint64_t now_ns) {
  GametapeSent sent;
  GametapeReceived received;
  if (grid == NULL) {
    check(gametape_sender_encode(client->sender, world, NULL, NULL, &sent, error), "encode");
  } else {
    check(gametape_sender_encode_near(client->sender, world, grid, &MIDDLE, near_the_middle, NULL, &sent, error),
          "encode_near");
  }
  if (is_lost) {
    client->lost++;
    return false;
  }
  GametapeStatus status =
      gametape_receiver_apply(client->receiver, sent.packet, sent.size, &received, error);
  if (status == GAMETAPE_STATUS_NEED_FULL) {
    client->asked++;
  } else {
    check(status, "apply");
    client->applied++;
    count(client);
    check(gametape_playout_take(client->playout, client->receiver, now_ns, error), "take");
  }
  if (received.feedback_size > 0) {
    check(gametape_sender_feedback(client->sender, received.feedback, received.feedback_size, error),
          "feedback");
  }
  return received.fresh;
}

static void report(int i, const Client *client, const GametapeWorld *world, uint64_t now_ns) {
  const GametapeSnapshot *view = gametape_receiver_view(client->receiver);
  bool same = gametape_snapshot_same_entities(view, gametape_world_state(world));
  double drawn;
  GametapeTiming network;
  gametape_playout_tick(client->playout, &drawn);
  gametape_playout_timing(client->playout, now_ns, &network);
  printf("client %d: %u packets lost, %u applied, %u asked for a full snapshot; %u ships came, %u left\n", i,
         client->lost, client->applied, client->asked, client->came, client->left);
  printf("client %d: it sees %zu ships, %s; it draws tick %.1f of %.1f, and finds a loss of %.0f %%\n", i,
         gametape_snapshot_entities(view, NULL), same ? "as the server does" : "NOT as the server does", drawn,
         network.tick, 100.0 * network.loss);
}

static void play(const GametapeSchema *schema, const char *path, GametapeSnapshot *last) {
  GametapeSenderOptions options = {.budget = 300};
  GametapeCaptureOptions capture = {.tick_ns = TICK_NS, .keyframe_every = 30, .view = 1};
  Client clients[CLIENTS];
  GametapeWorld *world = gametape_world_new(schema, error);
  made(world, "world");
  const uint16_t position[] = {X, Y};
  GametapeGrid *grid = gametape_grid_new(schema, SHIP, position, 2, 200.0, error);
  made(grid, "grid");
  GametapeSnapshot *state = gametape_snapshot_new(schema, 0, error);
  made(state, "state");
  GametapeCaptureWriter *writer = gametape_capture_writer_create(path, schema, &capture, error);
  made(writer, "create");
  memset(clients, 0, sizeof clients);
  for (int i = 0; i < CLIENTS; i++) {
    clients[i].sender = gametape_sender_new(schema, &options, error);
    made(clients[i].sender, "sender");
    clients[i].receiver = gametape_receiver_new(schema, NULL, error);
    made(clients[i].receiver, "receiver");
    clients[i].playout = gametape_playout_new(schema, RATE, NULL, error);
    made(clients[i].playout, "playout");
  }

  for (uint32_t tick = 1; tick <= TICKS; tick++) {
    fill(state, tick);
    check(gametape_world_update(world, state, error), "update");
    check(gametape_grid_update(grid, world, error), "grid_update");
    if (tick == 50) {
      /* The first client loses its memory, and asks for a full snapshot by itself. All ships come again. */
      check(gametape_receiver_reset(clients[0].receiver, error), "reset");
    }
    uint64_t now_ns = (uint64_t)tick * TICK_NS;
    for (uint32_t i = 0; i < CLIENTS; i++) {
      bool is_lost = (tick + i) % 3 == 0;
      bool fresh = exchange(&clients[i], world, i == 1 ? grid : NULL, is_lost, now_ns);
      /* A game draws this, at its own rate. */
      made(gametape_playout_advance(clients[i].playout, now_ns, error), "advance");
      if (i == 0 && fresh) {
        const GametapeSnapshot *view = gametape_receiver_view(clients[i].receiver);
        check(gametape_capture_writer_push_state(writer, view, 0, error), "push_state");
      }
    }
  }

  for (int i = 0; i < CLIENTS; i++) {
    report(i, &clients[i], world, (uint64_t)TICKS * TICK_NS);
  }
  check(gametape_snapshot_copy(last, gametape_receiver_view(clients[0].receiver), error), "copy");
  check(gametape_capture_writer_finish(writer, error), "finish");

  gametape_capture_writer_free(writer);
  gametape_snapshot_free(state);
  gametape_grid_free(grid);
  gametape_world_free(world);
  for (int i = 0; i < CLIENTS; i++) {
    gametape_sender_free(clients[i].sender);
    gametape_receiver_free(clients[i].receiver);
    gametape_playout_free(clients[i].playout);
  }
}

/* Reads the capture packet by packet, state by state, and at one tick. */
static void read_back(const char *path, const GametapeSnapshot *last) {
  unsigned packets = 0, states = 0, added = 0;
  bool same = false;
  GametapeStatus status;
  GametapeCapturePacket packet;
  const GametapeSnapshot *state;
  GametapeCapture *capture = gametape_capture_open(path, error);
  made(capture, "open");
  while ((status = gametape_capture_next_packet(capture, &packet, error)) == GAMETAPE_STATUS_OK) {
    packets++;
    added += packet.role == GAMETAPE_PACKET_ROLE_ADDED;
  }
  check(status == GAMETAPE_STATUS_END ? GAMETAPE_STATUS_OK : status, "next_packet");
  while ((status = gametape_capture_next_state(capture, &state, error)) == GAMETAPE_STATUS_OK) {
    states++;
    same = gametape_snapshot_same_entities(state, last);
  }
  check(status == GAMETAPE_STATUS_END ? GAMETAPE_STATUS_OK : status, "next_state");
  printf("capture: %u packets, %u of them added; %u states, the last %s\n", packets, added, states,
         same ? "as the client saw it" : "NOT as the client saw it");

  GametapeValue ship[3];
  GametapeSnapshot *then = gametape_snapshot_new(gametape_capture_schema(capture), 0, error);
  made(then, "state");
  check(gametape_capture_state_at(capture, 30, then, error), "state_at");
  check(gametape_snapshot_values(then, 7, SHIP, ship, 3, NULL, error), "values");
  printf("tick %" PRIu32 ": ship 7 at %.2f, %.2f with hull %" PRId64 "\n", gametape_snapshot_tick(then),
         ship[0].real, ship[1].real, ship[2].integer);
  gametape_snapshot_free(then);
  gametape_capture_free(capture);
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "arena.mcap";
  error = gametape_error_new();
  GametapeSchema *schema = gametape_schema_from_json(SCHEMA, strlen(SCHEMA), error);
  made(schema, "schema");
  printf("schema %016" PRIx64 "\n", gametape_schema_hash(schema));
  GametapeSnapshot *last = gametape_snapshot_new(schema, 0, error);
  made(last, "state");

  play(schema, path, last);
  read_back(path, last);

  /* An error reads like a sentence. */
  int64_t hull[] = {0, 0, 200};
  GametapeStatus status = gametape_snapshot_put(last, 7, SHIP, hull, 3, error);
  printf("status %d: %s\n", (int)status, gametape_error_text(error));

  gametape_snapshot_free(last);
  gametape_schema_free(schema);
  gametape_error_free(error);
  return 0;
}
