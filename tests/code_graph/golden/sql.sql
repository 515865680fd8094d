-- create table none (id int);
CREATE SCHEMA IF NOT EXISTS shop;

/* Items. */
CREATE TABLE shop.items (
    id bigserial PRIMARY KEY,
    name varchar(20) NOT NULL DEFAULT 'a; b',
    "order" int REFERENCES orders (id),
    CONSTRAINT named UNIQUE (name)
);
create table orders (id int, at timestamp);

CREATE OR REPLACE VIEW cheap AS
    SELECT * FROM shop.items WHERE id < 3;

CREATE UNIQUE INDEX CONCURRENTLY items_name ON shop.items (name);

CREATE FUNCTION sell(item int) RETURNS void AS $$
BEGIN
    UPDATE items SET name = 'x' WHERE id = item;
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER watched BEFORE UPDATE ON items EXECUTE PROCEDURE sell();

CREATE PROCEDURE tidy()
BEGIN
    DELETE FROM orders;
    DELETE FROM items;
END;
CREATE TYPE mood AS ENUM ('sad', 'ok');
