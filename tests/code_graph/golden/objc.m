// @interface None
#import "Shop.h"
#define LIMIT 3

typedef NS_ENUM(NSInteger, Kind) { KindBook, KindToy };
typedef enum { A, B } Letter;
typedef void (^Done)(int count);

@protocol Selling;

/* Sells. */
@interface Shop : NSObject <Selling>
@property (nonatomic, copy) NSString *name;
+ (instancetype)shopWithName:(NSString *)name;
- (void)sell:(Item *)item count:(int)count;
@end

static int helper(int a) {
    return a > LIMIT;
}

@implementation Shop
+ (instancetype)shopWithName:(NSString *)name {
    return [[Shop alloc] init];
}
- (void)sell:(Item *)item count:(int)count
{
    helper(count);
}
@end

@protocol Selling <NSObject>
- (void)close;
@end
