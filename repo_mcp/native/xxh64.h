/* The 64-bit hash of xxHash with seed 0, over bytes that lie in one piece. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const uint64_t XXH_A = 0x9E3779B185EBCA87u, XXH_B = 0xC2B2AE3D27D4EB4Fu,
                      XXH_C = 0x165667B19E3779F9u, XXH_D = 0x85EBCA77C2B2AE63u,
                      XXH_E = 0x27D4EB2F165667C5u;

static inline uint64_t
xxh_number(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&value, at, (size_t)bytes);
#else
    for (int byte = 0; byte < bytes; byte++)
        value |= (uint64_t)at[byte] << (8 * byte);
#endif
    return value;
}

static inline uint64_t
xxh_turn(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

static inline uint64_t
xxh_lane(uint64_t sum, uint64_t input)
{
    return xxh_turn(sum + input * XXH_B, 31) * XXH_A;
}

static uint64_t
xxh64(const uint8_t *at, size_t length)
{
    const uint8_t *end = at + length;
    uint64_t hash = XXH_E;
    if (length >= 32) {
        uint64_t lanes[4] = {XXH_A + XXH_B, XXH_B, 0, 0 - XXH_A};
        for (; end - at >= 32; at += 32)
            for (int lane = 0; lane < 4; lane++)
                lanes[lane] = xxh_lane(lanes[lane], xxh_number(at + 8 * lane, 8));
        hash = xxh_turn(lanes[0], 1) + xxh_turn(lanes[1], 7) + xxh_turn(lanes[2], 12) +
               xxh_turn(lanes[3], 18);
        for (int lane = 0; lane < 4; lane++)
            hash = (hash ^ xxh_lane(0, lanes[lane])) * XXH_A + XXH_D;
    }
    hash += (uint64_t)length;
    for (; end - at >= 8; at += 8)
        hash = xxh_turn(hash ^ xxh_lane(0, xxh_number(at, 8)), 27) * XXH_A + XXH_D;
    if (end - at >= 4) {
        hash = xxh_turn(hash ^ xxh_number(at, 4) * XXH_A, 23) * XXH_B + XXH_C;
        at += 4;
    }
    for (; at < end; at++)
        hash = xxh_turn(hash ^ *at * XXH_E, 11) * XXH_A;
    hash = (hash ^ hash >> 33) * XXH_B;
    hash = (hash ^ hash >> 29) * XXH_C;
    return hash ^ hash >> 32;
}
