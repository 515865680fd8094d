package org.lib.model;

interface Titled {
    String title();
}
