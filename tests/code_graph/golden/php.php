<?php
/** The shop: orders and who pays for them. */

declare(strict_types=1);

namespace App\Shop;

use App\Contracts\{Payable, Shippable as CanShip};
use App\Models\User;
use App\Support\Collection as Items;
use function App\Support\money;
use const App\Support\CENTS;

require_once __DIR__ . '/helpers.php';

const LIMIT = 10;
define('VERSION', '1.2');

/**
 * Something with a name.
 */
interface Named extends \Stringable, \Countable
{
    const SEPARATOR = '-';

    public function name(): string;
}

trait Logs
{
    use Notifies;

    protected array $lines = [];
    abstract protected function prefix(): string;

    public static function boot(): static
    {
        return new static();
    }

    /** Keeps a line. */
    protected function log(string $line): void
    {
        $this->lines[] = $this->prefix() . $line;
    }
}

// One of three.
enum Status: string implements Named
{
    case Open = 'open';
    case Paid = 'paid';
    const FIRST = self::Open;

    public static function parse(string $text): self
    {
        return self::from($text);
    }

    public function name(): string
    {
        return match ($this) {
            self::Open => 'o',
            Status::Paid, default => $this->value,
        };
    }
}

/**
 * An order of a user.
 *
 * @deprecated
 */
#[Entity(table: 'orders')]
abstract class Order extends Model implements Named, Payable
{
    use Logs, Counts {
        log as protected note;
        Counts::count insteadof Logs;
    }

    public const TAX = 19, ROUND = 2;
    private static ?Order $last = null;
    public readonly int $id;
    protected ?User $user, $other;
    var $old;

    public function __construct(private readonly Gateway $gateway, protected Items|array $items = [])
    {
        parent::__construct();
        self::$last = $this;
        $this->user = new User('a');
    }

    #[Override]
    final public function total(int ...$prices): float
    {
        $sum = 0;
        foreach ($this->items as $key => $item) {
            $sum += $item->price($key) * static::TAX;
        }
        for ($i = 0, $n = count($prices); $i < $n; $i++) {
            $sum += $prices[$i];
        }
        [$a, 'b' => $b] = $this->pair();
        list($c) = $b;
        return $sum > LIMIT ? money($sum) : \round($sum ?? CENTS, 2);
    }

    abstract protected function pair(): array;

    public function &each(callable $visit, ?self $other = null): iterable
    {
        $by = function (Item $one) use ($visit, &$other): ?string {
            return $visit($one) ?: $other?->user->name;
        };
        $short = fn(Item $one): string => $by($one);
        yield from array_map($short, $this->items);
        yield $key => $by;
        try {
            $this->gateway->pay(order: $this, amount: $this->total(...[1, 2]));
        } catch (NotPaid | \RuntimeException $error) {
            throw new \LogicException("no: {$error->getMessage()} $this->id", previous: $error);
        } finally {
            $this->log(<<<TEXT
                done {$this->name()}
                TEXT);
        }
        if ($other instanceof Order) {
            $copy = clone $other;
        } elseif (isset($other) && !empty($by)) {
            unset($by);
        } else {
            echo $other::class, User::find(1)->name(), strlen(...);
        }
        while (true) {
            switch ($key) {
                case 1:
                    break 2;
                default:
                    continue 2;
            }
        }
        static $calls = 0;
        global $config;
        $maker = new class ($this) extends Base implements Named {
            public function name(): string
            {
                return 'anonymous';
            }
        };
        $class = 'App\Models\User';
        $made = new $class();
        $made->$key($maker->{'x'});
        return (string) $made[0]['x'];
    }

    public function __toString(): string
    {
        return $this->name();
    }
}

function checkout(Order $order, Items&CanShip $items): ?Order
{
    function inner(): void
    {
    }
    $order->total(1, 2);
    return Order::boot();
}

$order = new Sub\Order();
checkout($order, namespace\make());
?>
<p><?= $order->name() ?></p>
<?php if ($order): ?>
<b>x</b>
<?php endif;
