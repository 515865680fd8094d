=head1 NAME

sub none { }

=cut
package Shop::Items;
use strict;
use Shop::Price;
use constant LIMIT => 3;
use constant { LEAST => 1, MOST => 2 };
has name => 'x';

# Sells.
sub sell {
    my ($self, %given) = @_;
    print "sub none {" if $given{'a'} =~ m/x/;
    return $#{$self->{items}};
}

sub Shop::Items::close { sell() }

package Shop::Other {
    sub open { Shop::Items::sell() }
}
__END__
sub after {}
