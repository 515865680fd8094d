<?php
namespace App\Shop;

use App\Models\{User, Item as Thing};

#[Table(name: 'orders')]
final class Order extends \App\Model implements Named
{
    use Logs, \App\Counts;

    const TAX = 19;
    public ?User $user = null, $other;

    public function __construct(private Thing|array $items = [], string ...$more)
    {
        parent::__construct($more[0]);
        self::$last = $this;
    }

    public function total(?self $other): static
    {
        [$first, 'b' => $second] = $this->pair();
        foreach ($this->items as $key => &$item) {
            $item->price(amount: $key, ...$first) ?? $other?->total($second);
        }
        $by = fn(Thing $one): int => $one->{$key} * static::TAX;
        $all = function () use ($by, &$first) { return $by($first); };
        if ($other instanceof Order) {
            $other = clone namespace\make(strlen(...));
        } else {
            $made = new class($all) extends Base { public function run() { $this->stop(); } };
        }
        try {
            $this->user ??= new $other();
        } catch (Bad | \Error $error) {
            throw new static("no {$error->text()}");
        }
        return match ($key) { 1 => $this, default => $made };
    }
}

enum Status: int
{
    case Open = 1;
}

function make(callable $f): Order
{
    static $order = new Order();
    return $f() ?: $order;
}

$order = make('f');
echo $order->user::class, LIMIT;
