#pragma once

#include "../include/list.h"

void *zalloc(size_t size);
void node_release(node_t *node);
int checked(int value);
